"""The process that serves the bundled model: `python -m relay_lab.proposers.model_server FILE`.

It prints the address that it listens on, on the loopback interface, and ends when its standard input does: with the process
that started it, however that one ends.
"""

import os
import sys


def serve(file: str) -> None:
    """Serve a GGUF file until standard input ends."""
    import xllamacpp

    wanted = xllamacpp.CommonParams()
    wanted.model.path = file
    wanted.n_ctx, wanted.n_parallel, wanted.verbosity, wanted.ui = 2 * 8192, 2, 0, False
    # Each generated token waits for the slowest thread; more than a few only wait for each other.
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = min(4, os.cpu_count() or 1)
    server = xllamacpp.Server(wanted)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    serve(sys.argv[1])
