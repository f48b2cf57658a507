"""Untrusted: whatever stands here may only propose, and its answer is a string."""
