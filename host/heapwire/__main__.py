"""`python -m heapwire`."""

from heapwire.cli import main

if __name__ == "__main__":
    main()
