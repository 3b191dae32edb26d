"""The rows, bars and tables of the suite `heap`."""

from pathlib import Path

import pytest

from heapwire.simulation import parts
from heapwire.workload.group import LAYOUTS
from study.bench import bars, built, expected, heap, limits, run
from study.figures import wu
from study.report.store import Store
from study.tests.bench.bench_rows import of_suite
from tests.host.conftest import PROTOS


def row(case, operation, engine="hw", cycles=100, **more):
    return of_suite("heap", "default", case, operation, engine, cycles, **more)


def real_row(case, size, cycles):
    return row(case, heap.WAITING, wire_bytes=size, cycles=cycles)


def test_expected_rows(monkeypatch):
    monkeypatch.setenv("HEAPWIRE_DATA", str(PROTOS))  # a folder without real messages
    groups = heap.heap_groups()
    keys = expected.rows_of("heap", groups)
    assert len(keys) == len(set(keys))
    small, (one,) = groups[0].cases, groups[1].cases
    assert {case.name for case in small} <= {case.name for case in groups[2].cases} and one.name == small[0].name
    for case in small:
        mine = [(operation, engine) for name, operation, engine in keys if name == case.name]
        assert len(mine) == (12 + 44 if case.name == one.name else 12) and mine.count((heap.WAITING, "hw")) == 1


def test_a_group_has_the_image_of_its_own_layouts(monkeypatch):
    """Several groups have one name."""
    monkeypatch.setattr(built, "image", lambda name, parts, out, peers, layout: Path(layout or "one"))
    groups = heap.heap_groups()
    jobs = run._heap_jobs(groups, parts(), Path("out"), "layouts")[1:]
    assert len(jobs) == len(groups)
    for group, job in zip(groups, jobs):
        assert job.image() == Path("layouts" if group.layouts == LAYOUTS else "one")


def bar(name):
    return next(bar for bar in limits.of_suite("heap") if bar.name.startswith(name))


def test_the_wait_is_that_of_all_messages():
    """Messages made here count like those of others."""
    wait = bar("longest wait")
    assert bars.check(wait, {"heap": []}) is None and bars.unmeasured([wait], []) == [wait.name]
    found = [real_row("jsbs/media.1", 242, 200), real_row("demo/64 KB", 1 << 16, 32_902)]
    result = bars.check(wait, {"heap": found})
    assert result.measured == 32_902 and not result.met


def test_the_longest_wait_is_of_messages_up_to_64_KB():
    found = [real_row("a", 1 << 16, 14_000), real_row("b", 100, 9), real_row("c", (1 << 16) + 1, 99_000)]
    assert bars.check(bar("longest wait"), {"heap": found}).met
    assert not bars.check(bar("longest wait"), {"heap": found + [real_row("d", 60_000, 15_001)]}).met


@pytest.mark.parametrize(
    "name, case", [("16-byte object without", "object_16"), ("16-byte object with a", "object_16_handle")]
)
def test_allocation(name, case):
    assert bars.check(bar(name), {"heap": [row(case, "allocate", heap.RUNTIME, 25)]}).met
    assert not bars.check(bar(name), {"heap": [row(case, "allocate", heap.RUNTIME, 26)]}).met


def test_survival_is_held_against_the_better_software():
    cycles = {"hw": 103, "table": 120, "clone": 100}
    found = [row("m", heap.SURVIVE, engine, took, object_bytes=100) for engine, took in cycles.items()]
    assert bars.check(bar("young collection"), {"heap": found}).met
    found[0]["cycles"] = 104
    assert not bars.check(bar("young collection"), {"heap": found}).met


def test_tables():
    found = [
        row("m", heap.SMALL_HEAP, "hw", 5000, collections=7, full_collections=2, collecting_cycles=4000),
        row("m", heap.SMALL_HEAP, "table", 10_000, collections=7, collecting_cycles=4100),
        row("m", heap.END_TO_END.format(1 << 20, 0), "hw", 900),
        real_row("short", 60_000, 11_000),
        real_row("long", 300_000, 51_000),
        *(
            row(f"young_pause/{size}", heap.YOUNG, heap.RUNTIME, 1000 + 6 * size, object_bytes=size)
            for size in heap.YOUNG_SIZES
        ),
    ]
    items = [figure.show(Store({"heap": found})) for figure in wu.FIGURES]
    tables = {table.title: table.lines for item in items for table in item.tables}
    assert tables["Messages"][0] == ["m", "hw", "5,000", "200.0", "7"]
    assert tables["Cycles a message"] == [
        ["1,024", "0", "900", "", "", "0.0 %", "", "0", "", "0", ""],
        ["32", "16", "5,000", "10,000", "2x", "80.0 %", "41.0 %", "5", "7", "2", "0"],
    ]
    picture = next(figure.shows[0] for figure in wu.FIGURES if getattr(figure, "heading", "").startswith("heaps of"))
    assert picture.series(found[:3]) == {
        "hw": {"16 kept": [(32 << 10, 5000)], "0 kept": [(1 << 20, 900)]},
        "hw-software-gc": {},
        "table": {"16 kept": [(32 << 10, 10_000)]},
        "table-unit-gc": {},
    }
    assert tables["cycles = fixed + rate x bytes"] == [["young_pause", "runtime", "1,000", "6.000", "0.0 %"]]
    assert ["young_pause/65536", "runtime", "65,536", "394,216", "6.02"] in tables["Pauses"]
    assert tables["The longest waits for a command in flight"][0] == ["long", "300,000", "51,000"]
    texts = [text for item in items for text in item.text]
    assert any("A young pause with 64 KB of survivors takes 394,216 cycles." in text for text in texts)
