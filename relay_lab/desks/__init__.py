"""Domain services on the core: each has a registry of tools, a vocabulary and its steps."""
