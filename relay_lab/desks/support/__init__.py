"""The support desk of 001: seven steps, one module each, and the desk that runs them."""
