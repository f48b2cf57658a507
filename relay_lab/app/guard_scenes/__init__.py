"""Scenes: for each guard an attempt that it stops, run with it and without it."""
