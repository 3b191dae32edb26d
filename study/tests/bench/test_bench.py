"""Suites of a bench: their bars, pages, machines, and what they miss."""

import json
import re
import threading
import time
from io import StringIO
from zlib import crc32

import pytest
from rich.console import Console

from base.errors import HeapwireError
from heapwire import interface
from heapwire.measure import messages
from heapwire.simulation import Parts
from study import cli
from study.bench import bars, calls, cases, cores, expected, flight, images, limits, roundtrip, run, shares, written
from study.figures import ours, tax
from study.report import suite as pages
from study.report.store import Store
from study.tests.bench.bench_rows import complete, row
from tests.host.conftest import PROTOS


def test_written(tmp_path):
    cycles = """jsbs/media.1 hw 800; jsbs/media.1 nanopb 16000; x hw 50; x nanopb 200; x table 100; y hw 10;
        y nanopb 20; z hw 100; z table 100; v hw 60; v nanopb 600"""
    measured = [
        complete(case, engine, int(took), layouts=5, ok=(case, engine) != ("y", "hw"))
        | {"fallbacks": int((case, engine) == ("v", "hw"))}
        for case, engine, took in map(str.split, cycles.split(";"))
    ]
    made = written.write("protobuf", measured, tmp_path, True, ["w, deserialize (hw)"])
    assert [json.loads(line) for line in made.file.read_text().splitlines()] == measured
    assert [(result.name, result.met) for result in made.results] == [
        ("deserialize: jsbs (times nanopb, geometric mean)", False),
        ("deserialize: jsbs (times the best software, geometric mean)", True),
        ("deserialize: MediaContent, 242 bytes (cycles)", False),
    ]
    text = pages.write(made).read_text()
    assert "| 20.0 | 20.0 |" in text and "| 4.0 | 2.0 |" in text
    # The means of 20 and 4, and of 20, 2 and 1.
    assert "| all | 8.9 | 2 | 3.4 | 3 |" in text and "| z |  | 0 | 1.0 | 1 |" in text
    assert "1 expected rows are absent: w, deserialize (hw)." in text
    assert "60*" in text and "| v |  | 0 |" not in text and "**no**" in text
    assert "| deserialize: MediaContent, 242 bytes (cycles) | 800 | <= 600 | **missed** |" in text
    assert "| serialize: 17-byte message (cycles) |  |  | **not measured** |" in text
    console = Console(file=StringIO(), width=200)
    pages.show(made, console)
    printed = console.file.getvalue()
    assert re.search(r"jsbs/media.1 +deserialize +800 +16,000", printed) and re.search(
        r"MediaContent.*800 +<= 600 +missed", printed
    )


def test_bars():
    by_name = {bar.name: bar for bar in limits.BARS}
    media = by_name["deserialize: MediaContent, 242 bytes (cycles)"]
    assert not bars.check(media, {"protobuf": [row("jsbs/media.1", cycles=1200)]}).met
    written_media = by_name["serialize: MediaContent, 242 bytes (cycles)"]
    assert bars.check(written_media, {"protobuf": [row("jsbs/media.1", cycles=1200)]}) is None
    assert bars.check(media, {"protobuf": [row("other")]}) is None and bars.check(media, {}) is None
    copies = [
        complete(f"copy_64K_bank_offset_{n}", cycles=cycles, read_bytes=65536, write_bytes=65536)
        for n, cycles in enumerate([9500, 9600, 15000])
    ]
    gathers = [
        row("gather_1024_in_flight_1", cycles=900),
        row("gather_1024_in_flight_8", cycles=250),
        row("gather_1024_hits_in_flight_1", cycles=7 * 1024),
        row("gather_1024_hits_of_a_block", cycles=3 * 1024),
    ]
    results = [bars.check(bar, {"memory": copies + gathers}) for bar in limits.of_suite("memory")]
    assert [round(r.measured, 3) for r in results] == [0.853, 0.546, 3.6, 7, 3]
    assert [r.met for r in results] == [True, False, True, True, False]
    string = by_name["deserialize: 64 KB string (share of the copy rate; needs the suite memory)"]
    long = row("string/65536", cycles=10500, wire_bytes=65540)
    assert bars.check(string, {"protobuf": [long]}) is None
    assert bars.check(string, {"protobuf": [long], "memory": copies}).met
    assert not bars.check(string, {"protobuf": [long | {"cycles": 12000}], "memory": copies}).met
    slope = by_name["serialize: packed_uint32_1B (cycles an element)"]
    sweep = [row(f"packed_uint32_1B/{n}", cycles=100 + n // 2, op="serialize") for n in (100, 1000, 4000)]
    assert bars.check(slope, {"protobuf": sweep}).met
    assert not bars.check(slope, {"protobuf": [r | {"cycles": r["cycles"] * 2} for r in sweep]}).met


def test_shares():
    stalls = {"read_stall_cycles": 180, "table_stall_cycles": 20, "write_stall_cycles": 20}
    moved = {"read_bytes": 1000, "dram_read_bytes": 800, "dram_write_bytes": 800}
    found = shares.shares(complete(cycles=400, busy_cycles=300, **stalls, **moved))
    parts = (found.driver, found.table, found.reads, found.writes, found.work, found.port)
    assert parts == (0.25, 0.05, 0.4, 0.05, 0.25, 0.25)
    assert found.bound == "memory latency (reads)"
    still = {"read_stall_cycles": 0, "table_stall_cycles": 0, "write_stall_cycles": 0}
    full = complete(cycles=100, busy_cycles=90, dram_read_bytes=1400, **still)
    assert shares.shares(full).bound == "DRAM's port"


def test_two_units_are_held_against_the_same_machine_with_one():
    def flying(case, engine, cycles, length):
        return complete(case, engine, cycles, wire_bytes=length, busy_cycles=cycles, config="full")

    cases = (("fields/a", 500, 1000, 500), ("fields/short", 20, 300, 300), ("jsbs/media.1", 600, 800, 700))
    one = [flying(case, "hw-x1", cycles, size) for case, size, cycles, _ in cases]
    two = [flying(case, "hw-x2", cycles, size) for case, size, _, cycles in cases]
    assert flight.gains(two, one, "deserialize") == {"fields/a": 2, "fields/short": 1, "jsbs/media.1": 800 / 700}
    assert flight.gain(two, one, "deserialize") == 2 and flight.gain(two, one, "serialize") is None
    bar = next(bar for bar in limits.BARS if bar.name.startswith("deserialize: two engines"))
    assert bars.check(bar, {"protobuf": two, flight.SINGLE: one}).met
    assert bars.check(bar, {"protobuf": two}) is None
    lines = in_flight([*two, complete("fields/a", cycles=1100, config="full")])
    assert len(lines) == 3 and lines[0][5:10] == ["1,100", "500", "2.2x", "50 %", "0 %"]


def in_flight(rows):
    """Returns the lines of the report's table of messages in flight."""
    item = next(item for item in shown(tax.FIGURES, rows) if item.title.startswith("messages in flight"))
    return item.tables[0].lines


def shown(figures, rows, areas=None):
    store = Store({"protobuf": rows}, areas or {})
    return [figure.show(store) for figure in figures if not callable(figure)]


def machine(folder, **cluster):
    """Returns a machine with these facts of its cluster."""
    facts = json.loads(interface.default_path().read_text()) | {"cluster": cluster}
    (folder / "heapwire.json").write_text(json.dumps(facts))
    return Parts("tiny", 32, folder, folder, folder)


def test_a_machine_without_counters_flies_too():
    flying = complete("jsbs/a", "hw-x1", cycles=500, config="tiny", port=4)
    assert "busy_cycles" not in flying
    assert in_flight([flying])[0][3:10] == ["1", "10", "", "500", "", "", ""]


@pytest.mark.parametrize(
    "megabytes, layouts, by_field, told",
    [(8, 1, 0, ["main memory holds one program, so one link layout is measured, not five"]), (32, 5, 1, [])],
)
def test_a_small_machine_has_one_layout_and_no_field_instructions(
    monkeypatch, tmp_path, megabytes, layouts, by_field, told
):
    """The suite is stopped before it builds anything."""
    parts = machine(tmp_path, memoryBytes=megabytes << 20, units={"protobuf_fields": by_field})
    seen, said = [], []
    monkeypatch.setattr(run, "_protobuf_jobs", lambda groups, *_: seen.extend(groups) or [])
    monkeypatch.setattr(messages, "data_folder", lambda: tmp_path)
    with pytest.raises(HeapwireError, match="printed no result"):
        run.run_suite("protobuf", said.append, parts, ("demo",))
    assert [group.layouts for group in seen] == [layouts] and said == told
    assert {(by_field and "table" in case.engines) == ("fields" in case.engines) for case in seen[0].cases} == {True}
    with pytest.raises(HeapwireError, match="printed no result"):
        run.run_suite("protobuf", said.append, parts, ("demo",), units_only=True)
    assert {engine for case in seen[-1].cases for engine in case.engines} == {"hw"}
    assert len(seen[-1].cases) == len(seen[0].cases)


@pytest.mark.parametrize(
    "copies, told", [(0, "the suite memory measures the copy unit, which small has not"), (1, None)]
)
def test_memory_is_measured_by_a_copy_unit(monkeypatch, tmp_path, copies, told):
    parts = machine(tmp_path, config="small", memoryBytes=32 << 20, units={"copy": copies})
    assert run.unit_missing("memory", parts) == told and run.unit_missing("core", parts) is None
    monkeypatch.setattr(run, "rows_of", lambda *_: [])
    with pytest.raises(HeapwireError, match=f"{told}. What to do: CONFIG=default" if told else "printed no result"):
        run.run_suite("memory", lambda text: None, parts)


def test_the_engine_against_cores(tmp_path):
    both = [
        complete("jsbs/a", "hw", cycles=500),
        complete("jsbs/a", "table", cycles=4000),
        complete("other/a", "hw", cycles=1),
        complete("jsbs/b", "hw", cycles=1),
    ]

    def item(areas):
        return next(item for item in shown(ours.FIGURES, both, areas) if item.title == "the engine against plain cores")

    assert cores.times(both, "deserialize", "jsbs", {}) is None and cores.areas(tmp_path) == {}
    assert item({}).tables[0].lines == [["jsbs", "deserialize", "500", "4,000", "8.0", "", "", ""]]
    assert "`make area` measures" in item({}).text[0]
    folder = tmp_path / "default-128"
    folder.mkdir()
    document = {"modules": {name: {"total": {"ecp5.LUT": luts}} for name, luts in (("Engine", 10000), ("Cpu", 5000))}}
    (folder / "area.json").write_text(json.dumps(document))
    areas = cores.areas(tmp_path)
    # The engine counts with its core: 8 times as fast, by three times the LUTs.
    assert cores.times(both, "deserialize", "jsbs", areas) == pytest.approx(8 / 3)
    assert cores.times(both, "serialize", "jsbs", areas) is None and "1 MHz here" in item(areas).text[0]
    areas["default-128"]["fmax"] = {"alone": {"Engine": {"mhz": 40.0}, "Cpu": {"mhz": 80.0}}}
    assert item(areas).tables[0].lines == [["jsbs", "deserialize", "500", "4,000", "8.0", "5,333", "4,000", "1.33"]]
    assert "40.0 and 80.0 MHz" in item(areas).text[0]
    (folder / "area.json").write_text("{")
    with pytest.raises(HeapwireError, match="area.json is damaged"):
        cores.areas(tmp_path)


def test_misses_and_traffic():
    more = {"wire_bytes": 2048, "dram_read_bytes": 1280, "dram_write_bytes": 64, "cold_cycles": 3000}
    field = complete("sint32_packed/10", cycles=100, wire_bytes=50, read_bytes=64, write_bytes=80, dram_read_bytes=16)
    peer = complete("bytes/2048", "nanopb", cycles=9)
    found = shown(ours.FIGURES, [complete("bytes/2048", cycles=1000, **more), peer, field])
    tables = {table.title: table.lines for item in found for table in item.tables}
    assert [line[5:] for line in tables["Throughput"]] == [["20", "10.0", "1", "3,000"]]
    assert [line[2:] for line in tables["Traffic"]] == [["50", "0", "64", "80", "16", "0", "", ""]]


def test_groups_run_side_by_side_and_their_rows_keep_their_order(monkeypatch, tmp_path):
    """Rows are in the order of the groups, whichever group ends first. A failing group is an error."""
    both = threading.Barrier(2, timeout=20)

    def lines_of(image, parts, loads):
        if image.name in ("slow", "quick"):
            both.wait()
        if image.name == "slow":
            time.sleep(0.2)
        if image.name == "bad":
            raise images.ImageFailed("bad ended with code 1")
        yield json.dumps(row(f"{image.name}/case"))

    monkeypatch.setattr(images, "lines_of", lines_of)
    monkeypatch.setenv("HEAPWIRE_JOBS", "2")
    jobs = [
        images.Job(name, lambda name=name: tmp_path / name, lambda: [], length)
        for name, length in (("slow", 1), ("quick", 2))
    ]
    found = images.rows_of(jobs, None, lambda text: None)
    assert [r["case"] for r in found] == ["slow/case", "quick/case"]
    with pytest.raises(images.ImageFailed):
        images.rows_of([images.Job("bad", lambda: tmp_path / "bad", lambda: [])], None, lambda text: None)


def test_missed_bars_and_wrong_rows_are_problems(tmp_path):
    slow, met = bars.Result("a bar", 1200, "<= 1,000", False), bars.Result("a bar", 900, "<= 1,000", True)
    fine = complete()

    def problems(rows, lacking, results):
        return written.Measurement("protobuf", tmp_path, rows, {}, results, [], lacking).problems

    assert problems([fine], [], [met]) == []
    assert problems([fine], [], [slow]) == ["bar missed: a bar: 1,200, wanted <= 1,000"]
    assert problems([complete(port=8)], [], [slow]) == []
    assert problems([fine | {"ok": False}], ["x, copy (hw)"], []) == [
        "wrong or incomplete: s/1, deserialize (hw)",
        "not measured: x, copy (hw)",
    ]
    assert problems([fine | {"fallbacks": 1}], [], []) == ["finished by software: s/1, deserialize (hw)"]


def test_expected_rows(monkeypatch):
    monkeypatch.setenv("HEAPWIRE_DATA", str(PROTOS))
    keys = expected.rows_of("protobuf", cases.groups())
    assert len(keys) == len(set(keys))
    assert {("packed_varint_1B/16", "deserialize", engine) for engine in ("hw", "table", "nanopb")} <= set(keys)
    assert {engine for case, _, engine in keys if case == "packed_varint_1B/4096"} == {"hw"}
    measured = [row(case, engine, op=operation) for case, operation, engine in keys]
    assert expected.absent(keys, measured) == []
    assert expected.absent(keys, measured[1:]) == ["{}, {} ({})".format(*keys[0])]
    # Every bar of a suite refers to rows that the suite is expected to have.
    for suite, count in (("memory", 26), ("core", 76)):
        keys = expected.rows_of(suite, [])
        assert len(keys) == count == len(set(keys))
        full = [complete(case, engine, op=operation, read_bytes=1) for case, operation, engine in keys]
        assert None not in [bars.check(bar, {suite: full}) for bar in limits.of_suite(suite)]


def test_a_call_is_right_if_its_message_is():
    measured = row("set_scalar", "upb", op=calls.ACCESS) | {"digest": crc32(b"\x08\x07")}
    assert calls.checked(measured)["ok"] is True
    assert not any(
        calls.checked(measured | wrong)["ok"] for wrong in ({"digest": 1}, {"case": "set_string_15"}, {"ok": False})
    )
    assert calls.checked(row("x"))["ok"] is True


def test_a_round_trip_is_right_if_its_bytes_are():
    first, second = (roundtrip.digests()[case] for case in roundtrip.CASES)
    measured = row(roundtrip.CASES[0], "upb", op=roundtrip.TRIP) | {"digest": first}
    assert roundtrip.checked(measured)["ok"] is True
    assert not any(roundtrip.checked(measured | wrong)["ok"] for wrong in ({"digest": second}, {"ok": False}))
    assert roundtrip.checked(row("x"))["ok"] is True


@pytest.mark.parametrize("problems, code", [([], 0), (["x"], 1)])
def test_bench_command_fails_on_problems(problems, code, monkeypatch, tmp_path):
    met = [bars.Result("x", 1, "<= 0", False)] if problems else []
    made = written.Measurement("core", tmp_path / "core.jsonl", [complete()], {}, met)
    monkeypatch.setattr(run, "run_suite", lambda *_, **__: made)
    monkeypatch.setattr("sys.argv", ["heapwire", "bench", "core"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == code


def of_copy(made):
    """Returns the result of a bar that needs the suite memory, or None."""
    name = "deserialize: 64 KB string (share of the copy rate; needs the suite memory)"
    assert name in [*made.without, *(result.name for result in made.results)]
    return next(((round(result.measured, 3), result.met) for result in made.results if result.name == name), None)


def test_bars_see_suites_measured_earlier(tmp_path):
    """A file that a crash has cut is no obstacle, one that is damaged elsewhere is an error."""
    copies = [complete("copy_64K_bank_offset_0", cycles=10000, suite="memory")]
    path = written.write("memory", copies, tmp_path).file
    path.write_bytes(path.read_bytes() + b'{"suite": "memory", "ca\xc3')
    (tmp_path / "uart.jsonl").write_bytes(b'{"suite"')
    measured = [complete("string/65536", cycles=10500, wire_bytes=65536)]
    assert of_copy(written.write("protobuf", measured, tmp_path)) == (0.952, True)
    other = [complete("string/65536", cycles=10500, config="tiny")]
    made = written.write("protobuf", other, tmp_path)
    assert of_copy(made) is None and made.file.name == "protobuf@tiny-128.jsonl"
    assert written.write("protobuf", measured, tmp_path, measures=False).results == []
    path.write_bytes(b'{"suite"\n' + path.read_bytes())
    with pytest.raises(
        HeapwireError, match="memory.jsonl:1 is no row .*measure the suite again, or move the file away"
    ):
        written.write("protobuf", measured, tmp_path)
