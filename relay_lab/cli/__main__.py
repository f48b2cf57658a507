"""`python -m relay_lab.cli`."""

from relay_lab.cli import main

if __name__ == "__main__":
    main()
