"""The SoC around the Heapwire cluster, in LiteX. It knows no wire format."""
