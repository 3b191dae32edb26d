"""Prints the identity of the simulated machine that the environment selects (CONFIG, DATA_WIDTH, UNIT_CLOCK, LIKE):
`python -m heapwire.report.machine`."""

from heapwire.bench.identity import machine
from heapwire.simulation import parts

if __name__ == "__main__":
    print(machine(parts()))
