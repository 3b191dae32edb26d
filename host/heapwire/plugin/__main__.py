"""`python -m heapwire.plugin`: the plugin without its console script."""

from heapwire.plugin.generate import main

if __name__ == "__main__":
    main()
