"""The plan of a report: the groups of each suite and the machines to measure. The workflow (workflow/Snakefile) runs
it. A quick report leaves out most."""

from dataclasses import dataclass
from itertools import product
from typing import Iterable

from base.errors import HeapwireError
from heapwire.interface import LIKE, STOCK
from heapwire.workload.group import FLIGHT
from study.bench import cases
from study.bench.cereal import SERIES, SMALL_GROUP
from study.bench.machines import OF_SUITE
from study.bench.skyway import CONFIG, SHUFFLE

SUITES = ("memory", "core", "protobuf", "heap", "cereal", "skyway", "sweep")
USUAL, WIDTH = "default", 128
WHOLE = "whole"
"""The only group of a suite without groups."""
GRAPHS = (SMALL_GROUP, "records", "medium", "captured", *(f"large-{series.name}" for series in SERIES))
QUICK = {
    "memory": ((WHOLE,), "nothing"),
    "core": ((WHOLE,), "one link layout in the place of five"),
    "protobuf": (
        ("jsbs", "fleetbench", "macro", "jsbs-references", "jsbs-unasked"),
        "the sets jsbs, fleetbench and macro alone, in one link layout in the place of five",
    ),
    "skyway": (
        ("records", SHUFFLE),
        "records and programs that shuffle, no graphs, in one link layout in the place of five",
    ),
}
"""Groups of a quick report, by suite, and how the suite was cut. Other suites are left out."""
LEFT_OUT = {
    "heap": "the suite heap is left out",
    "cereal": "the suite cereal is left out: it has five machines, each to be built",
    "sweep": "the suite sweep is left out: it has eleven machines, each to be built",
    "broadcast": "the broadcast among several machines is left out: it takes minutes",
}


@dataclass(frozen=True)
class Machine:
    """A simulated machine, as makefiles name it. name: name of its folders under build/."""

    name: str
    variables: tuple[tuple[str, str], ...]

    @property
    def make(self) -> str:
        """The variables, as arguments of make or in front of a command."""
        return " ".join(f"{name}={value}" for name, value in self.variables)


@dataclass(frozen=True)
class Suite:
    """A suite on a machine. machines: the machines that must be built for it. machine: the machine that the bench is
    given."""

    name: str
    machine: Machine
    machines: tuple[Machine, ...]
    groups: tuple[str, ...]
    one_layout: bool = False
    units_only: bool = False

    @property
    def key(self) -> str:
        return f"{self.name}@{self.machine.name}"

    def arguments(self, groups: Iterable[str]) -> str:
        """Returns the arguments of `python -m study bench` for some of the groups."""
        named = " ".join(f"--group {group}" for group in groups if group != WHOLE)
        flags = (("--one-layout", self.one_layout), ("--units-only", self.units_only))
        return " ".join(filter(None, [self.name, "--rows-only", named, *(flag for flag, given in flags if given)]))

    def before(self, group: str) -> tuple[str, ...]:
        """Returns the groups that must be measured before a group. Small graphs say in which link layouts software is
        measured on larger ones (study.bench.cereal.favourites)."""
        late = group in GRAPHS and group.startswith(("medium", "large")) and not self.one_layout
        return (SMALL_GROUP,) if late and SMALL_GROUP in self.groups else ()


def machine(config: str, width: int = WIDTH, clock: int = 1) -> Machine:
    """Returns a machine by configuration, width of the memory port and divider of the units' clock."""
    name = f"{config}-{width}" + (f"-clock{clock}" if clock != 1 else "")
    return Machine(name, (("CONFIG", config), ("DATA_WIDTH", str(width)), ("UNIT_CLOCK", str(clock))))


def board(name: str, stock: bool = False) -> Machine:
    """Returns a simulated machine that is like a board: it has the board's memory with its latency, its width and its
    configuration. stock: with LiteX's own CPU."""
    return Machine(f"{LIKE}{name}{STOCK if stock else ''}", (("LIKE", f"{name}{'+stock' if stock else ''}"),))


BROADCAST_MACHINE = machine(CONFIG)
BROADCAST = "--machines 5 --program jsbs --objects 1 " + " ".join(
    f"--serializer {name}" for name in ("skyway-hw", "skyway-sw", "kryo-manual", "java")
)
"""The flags of `study demo-skyway` for the broadcast among several machines, and its configuration. The demo writes the
rows of `broadcast`."""


def has_broadcast(found: Iterable[Suite], quick: bool = False, groups: Iterable[str] = ()) -> bool:
    """Returns whether a report measures the broadcast: it does so beside the whole suite `skyway`, whose figure shows
    both."""
    return not quick and not tuple(groups) and any(suite.name == "skyway" for suite in found)


def data() -> list[str]:
    return [group.name for group in cases.groups()]


def in_flight() -> list[str]:
    """Returns the names of those groups that have messages with many commands in flight. For nothing else does a report
    compare one engine with two."""
    return [group.name for group in cases.groups() if any(FLIGHT in case.engines for case in group.cases)]


def _at_full_clock(suite: str) -> bool:
    """Returns whether a suite measures several serializers, which run at the system's clock."""
    return any("-x" in config for config in OF_SUITE.get(suite, ()))


def suites(
    quick: bool = False,
    only: Iterable[str] = (),
    widths: Iterable[int] = (WIDTH,),
    clocks: Iterable[int] = (1,),
    boards: Iterable[str] = (),
    configs: Iterable[str] = (),
    groups: Iterable[str] = (),
) -> list[Suite]:
    """Returns the suites to measure. only: these suites. widths, clocks: sweeps over the memory port and the units'
    clock. boards: sweeps over memories. configs: configurations for the suite `protobuf` beside the usual one, e.g.
    `full` and `single` for two engines and one, on which only the groups `in_flight` are measured, by units on
    managed objects alone. groups: these groups alone, for suites that have groups."""
    only, groups, widths, clocks = tuple(only), tuple(groups), tuple(widths), tuple(clocks)
    wanted = [name for name in SUITES if (not only or name in only) and (not quick or name in QUICK)]
    if unknown := set(only) - set(SUITES):
        raise HeapwireError(f"no suite {', '.join(sorted(unknown))}; there are {', '.join(SUITES)}")
    found: list[Suite] = []
    compared = in_flight() if configs else []
    at_half = [name for name in wanted if name in only and _at_full_clock(name)] if set(clocks) != {1} else []
    if at_half:
        raise HeapwireError(
            f"--clocks: the suite {at_half[0]} measures several serializers, which run at the system's clock. What to "
            "do: --clocks 1 for it"
        )
    for name in wanted:
        parts = {"protobuf": data, "cereal": lambda: list(GRAPHS), "skyway": lambda: [*GRAPHS, SHUFFLE]}.get(
            name, lambda: [WHOLE]
        )()
        chosen = tuple(
            part
            for part in parts
            if (not quick or part in QUICK[name][0]) and (not groups or part == WHOLE or part in groups)
        )
        if not chosen:
            continue
        for width, clock in product(widths, clocks):
            if clock != 1 and _at_full_clock(name):
                continue
            built = tuple(machine(config, width, clock) for config in OF_SUITE.get(name, (USUAL,)))
            found.append(Suite(name, built[0], built, chosen, quick))
            shared = tuple(part for part in chosen if part in compared)
            for config in configs if name == "protobuf" and shared else ():
                one = machine(config, width, clock)
                found.append(Suite(name, one, (one,), shared, quick, units_only=True))
    for each in boards:
        title, _, kind = each.partition("+")
        one = board(title, kind == "stock")
        for name in wanted:
            if name == "core" or name == "protobuf" and not kind:
                chosen = (
                    (WHOLE,)
                    if name == "core"
                    else tuple(part for part in data() if part in ("jsbs", "demo") and (not groups or part in groups))
                )
                found.append(Suite(name, one, (one,), chosen, quick))
    return found


def cuts(quick: bool) -> dict[str, str]:
    """Returns the text of a quick report's cuts, by suite."""
    return {**{name: cut for name, (_, cut) in QUICK.items() if cut != "nothing"}, **LEFT_OUT} if quick else {}
