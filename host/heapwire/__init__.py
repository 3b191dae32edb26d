"""The host software of Heapwire. It compiles schemas into descriptor tables, talks to the machine, and checks the
objects and bytes that the machine returns."""
