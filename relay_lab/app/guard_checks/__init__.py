"""Guard checks: small runs through the public runtime, each of which names one boundary and fails when it is broken.

The rows of the failure matrix try what the outside can do; these try what a step, a proposer or another session could do.
"""
