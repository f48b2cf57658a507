"""Composition: a lab from settings, and what the commands do."""
