"""`python -m relay_lab.cli`."""

from relay_lab.cli import main

main()
