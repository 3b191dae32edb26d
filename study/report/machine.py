"""Prints the identity of the simulated machine that the environment selects (CONFIG, DATA_WIDTH, UNIT_CLOCK, LIKE):
`python -m study.report.machine`."""

from heapwire.simulation import parts
from study.bench.identity import machine

if __name__ == "__main__":
    print(machine(parts()))
