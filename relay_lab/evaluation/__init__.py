"""Judges: pure functions of what was recorded and of expected values that are handed in."""
