"""The simulated company: systems of record that check for themselves, their database, and the transport in front of them."""
