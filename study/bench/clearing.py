"""The cost of clearing new objects. The same messages are read with tables that clear all of an object, its references,
or only the slots that are read before a hasbit is tested (the ablation of Wu & Schmulbach, section 5.2.4)."""

from dataclasses import replace

from heapwire.schema import Clear
from heapwire.workload.group import Group

LESS = (Clear.REFERENCES, Clear.UNASKED)
SOURCES = {"jsbs": "", "fields": "", "hyperprotobench-bench0": (".M1", ".M25")}
"""The groups, and how the names of their cases end: of the real bench the paper's two messages."""


def clearing_groups(groups: list[Group]) -> list[Group]:
    """Returns the hardware's cases of some groups with less clearing. The original groups measure full clearing."""
    return [
        Group(
            f"{group.name}-{clear.value}",
            group.schema,
            [
                replace(case, name=f"clear {clear.value}: {case.name}", engines=("hw",))
                for case in group.cases
                if case.name.endswith(SOURCES[group.name])
            ],
            clear,
            layouts=1,
        )
        for group in groups
        if group.name in SOURCES
        for clear in LESS
    ]
