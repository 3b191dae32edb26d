"""Host software of Heapwire: schemas in, descriptor tables out, and the client
that talks to the machine and checks what comes back."""
