"""Heapwire as a CPU of LiteX: `--cpu-type heapwire` (docs/howto/litex.md).

`hook` adds the CPU to LiteX, `core` is its class, and `cluster` generates its Verilog or finds it in a cache. Python
imports this module at every start, so that it must not import anything."""
