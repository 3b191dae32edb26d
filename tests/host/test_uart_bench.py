"""The bench over a UART against a monitor in Python: faults on the line, resets, resuming and refusals."""

import copy
import errno
import json
import os
import random
import struct
import threading
from contextlib import contextmanager

import pytest

from heapwire.client.ports import VersionMismatch
from heapwire.measure import uart
from heapwire.measure.journal import Journal
from heapwire.measure.messages import demo_group
from heapwire.records.monitor import Operation, Status
from heapwire.records.workload import Engine
from tests.common.fixtures import refused
from tests.host.fake_monitor import BASE, BUFFER, FIXED, SCHEMA, Refusal
from tests.host.faulty_line import KINDS, FaultyLine
from tests.host.served_monitor import LIMIT, Multi, Served, before_runs, bench, groups, perfect, rows_in, served  # noqa: F401 (fixtures)


def test_rows_of_every_case(perfect, groups):
    cases = [case for group in groups for case in group.cases if len(case.data) <= LIMIT]
    assert len(cases) > 10 and all(row["ok"] and row["cycles"] and row["suite"] == "uart" for row in perfect)
    engines = {case.name: ["hw", "table", "nanopb"] if case in groups[0].cases else ["hw", "table"] for case in cases}
    assert [(row["case"], row["op"], row["engine"]) for row in perfect] == [
        (case.name, op, engine)
        for case in cases
        for op in ("deserialize", "serialize")
        for engine in engines[case.name]
    ]
    assert all(row["object_bytes"] > 0 for row in perfect if row["engine"] != "nanopb")


@pytest.mark.parametrize("faults, seed", [(150, 1), pytest.param(1000, 2, marks=pytest.mark.full)])
def test_a_bad_line_costs_no_row(served, groups, interface, tmp_path, perfect, faults, seed):
    """The machine is also reset. The rows are those of a perfect line, each once."""
    with FaultyLine(served.connect, gap=2000, seed=seed, delays=(0.0, 0.08), extra={"reset": served.reset}) as line:
        for round in range(100):
            measured = bench(line.port, groups, interface, tmp_path / str(round))
            assert not measured.problems and measured.rows == perfect
            assert rows_in(measured.page.with_suffix(".jsonl")) == perfect
            if line.faults.total() >= faults:
                break
        assert line.error is None and line.faults.total() >= faults, line.faults
    print(f"{line.faults.total()} faults in {line.bytes:,} bytes, {round + 1} benches: {dict(line.faults)}")
    assert set(line.faults) == {*KINDS, "reset"} and min(line.faults[kind] for kind in KINDS) >= faults // 8


def test_results_after_a_reset_are_not_believed(served, groups, interface, tmp_path, perfect, monkeypatch):
    """The machine is reset between a run and the reading of its objects. The case runs again, and nothing wrong is
    reported."""
    fake, resets = served.fake, [0]
    genuine = fake._read

    def reading(body):
        if resets[0] < 5 and random.random() < 0.3:
            resets[0] += 1
            fake.restart()
        return genuine(body)

    monkeypatch.setattr(fake, "_read", reading)
    assert bench(served.port, groups, interface, tmp_path).rows == perfect and resets[0] == 5


def test_a_wrong_field_is_reported_once(served, groups, interface, tmp_path, monkeypatch):
    fake = served.fake
    genuine = fake._run

    def sabotaged(body):
        answer = genuine(body)
        if (at := fake.memory.find(b"Javaone Keynote", FIXED - BASE)) >= 0:
            fake.memory[at + 14] ^= 1
        return answer

    monkeypatch.setattr(fake, "_run", sabotaged)
    measured = bench(served.port, groups[:1], interface, tmp_path)
    wrong = [row for row in measured.rows if not row["ok"]]
    assert wrong and all("Javaone Keynotd" in row["problem"] or "another message" in row["problem"] for row in wrong)
    assert len(measured.problems) == len(wrong) and all(text in measured.page.read_text() for text in measured.problems)


def test_a_unit_that_does_nothing_is_found_out(served, groups, interface, tmp_path, monkeypatch):
    """Software that finishes a unit's commands does not pass for the unit, whatever the rows are called, and is in no
    mean."""
    genuine = served.fake._run

    def run(body):
        words = list(struct.unpack("<16I", genuine(body)))
        if struct.unpack_from("<I", body)[0] == Engine.HW and served.fake.executed.count(Operation.RUN) != 1:
            words[9] = 5  # fallbacks
        return struct.pack("<16I", *words)

    monkeypatch.setattr(served.fake, "_run", run)
    measured = bench(served.port, groups[:1], interface, tmp_path, name="ulx3s")
    software = [row for row in measured.rows if row["engine"] == "hw"][1:]
    assert len(software) == 3 and all(row["fallbacks"] == 5 and row["ok"] for row in software)
    assert measured.problems == [f"finished by software: {row['case']}, {row['op']} (hw)" for row in software]
    page = measured.page.read_text()
    assert "because the unit could not" in page and page.count("100.0 |") == 1


class Stop(Exception):
    """The program dies."""


def test_a_stopped_bench_resumes(served, groups, interface, tmp_path, perfect):
    class Dying(list):
        def append(self, text):
            super().append(text)
            if len([said for said in self if " of " in said and "cycles" in said]) == 7:
                raise Stop

    with pytest.raises(Stop):
        bench(served.port, groups, interface, tmp_path, said=Dying())
    path = tmp_path / "uart.jsonl"
    assert rows_in(path) == perfect[:7]
    path.write_bytes(path.read_bytes() + b'{"suite": "uart", "ca')  # a crash within a line
    said = []
    assert bench(served.port, groups, interface, tmp_path, resume=True, said=said).rows == perfect
    assert rows_in(path) == perfect and f"going on after 7 rows in {path}" in said
    # All rows exist, so that nothing runs any more.
    served.fake.executed.clear()
    assert bench(served.port, groups, interface, tmp_path, resume=True).rows == perfect
    assert {operation.name for operation in served.fake.executed} == {"HELLO", "LAYOUT", "CHECKSUM"}
    # Without --resume the bench starts over and keeps the old rows.
    assert bench(served.port, groups[:1], interface, tmp_path).rows == [
        row for row in perfect if row["case"].startswith("demo/")
    ]
    assert rows_in(tmp_path / "uart.jsonl.old") == perfect


def test_rows_of_two_machines_are_not_mixed(served, groups, interface, tmp_path):
    bench(served.port, groups, interface, tmp_path)
    other = Served(Multi(interface, groups))
    other.fake.clock_hz = 75_000_000
    with refused(r"another machine .*machine.clock_hz was 60000000, is 75000000.* --name"):
        bench(other.port, groups, interface, tmp_path, resume=True)
    with refused("of other messages.*groups.fields.schema was"):
        bench(served.port, groups[:1], interface, tmp_path, resume=True)
    (tmp_path / "uart.state.json").unlink()
    with refused("does not say what its rows belong to"):
        bench(served.port, groups, interface, tmp_path, resume=True)
    other.close()


def test_another_machine_on_the_line_ends_the_bench(served, groups, interface, tmp_path, monkeypatch):
    def change(number):
        if number == 5:
            served.fake.units = 3
            served.fake.restart()

    before_runs(served.fake, monkeypatch, change)
    with refused("another machine or firmware has answered.*capability was"):
        bench(served.port, groups, interface, tmp_path)
    assert len(rows_in(tmp_path / "uart.jsonl")) == 4


def test_a_machine_without_units_is_measured_only_if_asked(interface, groups, tmp_path):
    """Its rows are software's, and do not pass for those of a configuration."""
    served = Served(Multi(interface, groups))
    served.fake.units = 0
    with refused("the machine has no unit to deserialize or serialize: .*--allow-missing-unit"):
        bench(served.port, groups, interface, tmp_path)
    measured = bench(served.port, groups, interface, tmp_path, missing_unit=True)
    assert {row["engine"] for row in measured.rows} == {"table", "nanopb"} and not measured.problems
    assert {row["config"] for row in measured.rows} == {"no-units"} and measured.page.name == "uart@no-units-128.md"
    served.close()


def test_a_machine_of_another_configuration_is_not_measured(interface, groups, tmp_path):
    served = Served(Multi(interface, groups))
    served.fake.units = 2
    with refused("of another configuration .*protobuf_engine: 2, not 1"):
        bench(served.port, groups, interface, tmp_path)
    served.close()


def test_rows_of_two_builds_are_not_mixed(served, groups, interface, tmp_path, monkeypatch):
    """The configuration and the HELLO are the same. A bench with other firmware, or with other hardware described here,
    neither resumes nor goes on after a reset."""
    folder = tmp_path / "gen"
    folder.mkdir()
    described = copy.copy(interface)
    described.path = folder / "heapwire.json"
    described.path.write_text("{}")
    (folder / "HeapwireCluster.v").write_text("// Git hash  : 1\nmodule")
    group = groups[1:]
    bench(served.port, group, described, tmp_path)
    (folder / "HeapwireCluster.v").write_text("// Git hash  : 2\nmodule")
    assert bench(served.port, group, described, tmp_path, resume=True).rows
    (folder / "HeapwireCluster.v").write_text("// Git hash  : 2\nother module")
    with refused("another machine .*build.verilog was [0-9a-f]{8}, is"):
        bench(served.port, group, described, tmp_path, resume=True)
    served.fake.memory[100] ^= 1
    with refused("another machine .*build.firmware was [0-9a-f]{8}, is"):
        bench(served.port, group, described, tmp_path, resume=True)

    def change(number):
        if number == 5:
            served.fake.restart()
            served.fake.memory[100] = 3

    before_runs(served.fake, monkeypatch, change)
    with refused("another machine or firmware has answered.*firmware was"):
        bench(served.port, group, described, tmp_path)
    assert len(rows_in(tmp_path / "uart.jsonl")) == 4


def test_the_page_tells_what_was_run(served, groups, interface, tmp_path):
    page = bench(served.port, groups[:1], interface, tmp_path).page.read_text()
    assert "one link layout: software may be up to 1.5 times off" in page and "link layouts" not in page
    assert "cold one" not in page
    assert "60,000,000 Hz" in page and "3 runs after 2 warm ones" in page
    assert "more than 700 bytes (`--limit`) are left out: " in page
    assert "Groups demo with the engines hw, table, nanopb" in page


def test_what_a_cut_leaves_behind_is_not_believed(served, groups, interface, tmp_path, perfect, monkeypatch):
    """The schema or message is damaged while the line is cut, for example by another program. It is sent again."""

    def damage(number):
        if damaged := {3: SCHEMA + 40, 6: BUFFER, 9: SCHEMA + 4}.get(number):
            served.fake.memory[damaged - BASE] ^= 0xFF
            raise ConnectionResetError
        assert served.fake.memory[SCHEMA - BASE :][: served.fake.schema_size] == served.fake.loaded.blob

    runs = before_runs(served.fake, monkeypatch, damage)
    assert bench(served.port, groups, interface, tmp_path).rows == perfect and runs[0] == len(perfect) + 3


def test_a_final_refusal_ends_the_bench_at_once(served, groups, interface, tmp_path, monkeypatch):
    """A schema that does not fit now will not fit in five minutes. A schema that was lost before it was checked is sent
    again."""
    genuine, refusals = served.fake._load_schema, [Status.TOO_LARGE]

    def load(body):
        if refusals:
            raise Refusal(refusals.pop(0))
        return genuine(body)

    monkeypatch.setattr(served.fake, "_load_schema", load)
    for status, what in ((Status.TOO_LARGE, "TOO_LARGE"), (Status.BAD_SCHEMA, "BAD_SCHEMA: text 1")):
        refusals[:] = [status] * 2
        with refused(f"the schema of demo: the monitor refused LOAD_SCHEMA: {what}. 0 of .* rows are in"):
            bench(served.port, groups, interface, tmp_path)
        assert len(refusals) == 1

    def reset(body):
        monkeypatch.setattr(served.fake, "_load_schema", genuine)
        served.fake.restart()
        return genuine(body)

    monkeypatch.setattr(served.fake, "_load_schema", reset)
    assert not bench(served.port, groups, interface, tmp_path).problems
    monkeypatch.setattr(served.fake, "_write", lambda body: (_ for _ in ()).throw(Refusal(Status.BAD_ADDRESS)))
    with refused("the monitor refused WRITE: BAD_ADDRESS"):
        bench(served.port, groups, interface, tmp_path)


@pytest.mark.parametrize(
    "hello, text",
    [
        (lambda genuine: struct.pack("<I", 2) + genuine[4:], "the monitor speaks protocol 2, this host 1"),
        (lambda genuine: genuine[:32], "has 32 bytes, not 36: host and firmware are of different versions"),
    ],
)
def test_another_version_ends_the_bench_at_once(served, groups, interface, tmp_path, monkeypatch, hello, text):
    genuine, asked = served.fake._hello, []
    monkeypatch.setattr(served.fake, "_hello", lambda body: asked.append(0) or hello(genuine(body)))
    with pytest.raises(VersionMismatch, match=text) as raised:
        bench(served.port, groups, interface, tmp_path)
    # A busy machine may answer so late that the link asks again. A bench that takes the answer for noise asks until it
    # gives up.
    assert len(asked) <= 3 and "nobody has answered" not in str(raised.value)


def test_a_result_of_absurd_size_is_not_read(served, groups, interface, tmp_path, monkeypatch):
    """A result that is announced as larger than the message could make it is a problem, and not a reason to read for
    hours."""
    genuine = served.fake._run

    def run(body):
        words = list(struct.unpack("<16I", genuine(body)))
        words[2] = FIXED + (800 << 10)  # fixed_top
        return struct.pack("<16I", *words)

    monkeypatch.setattr(served.fake, "_run", run)
    measured = bench(served.port, groups[:1], interface, tmp_path)
    assert measured.rows and all(
        not row["ok"] and "819,200 bytes" in row["problem"] and "at most" in row["problem"] for row in measured.rows
    )
    assert Operation.READ not in served.fake.executed


def test_a_dead_line_ends_in_time_and_keeps_its_rows(served, groups, interface, tmp_path, perfect):
    dead = threading.Event()

    class Said(list):
        def append(self, text):
            if text.startswith("9 of"):
                dead.set()

    def target():
        if dead.is_set():
            raise OSError("pulled")
        return served.connect()

    @contextmanager
    def pulled():
        with FaultyLine(target, gap=1e9, seed=1) as line:
            genuine = line._faulty
            line._faulty = lambda data, to: not dead.is_set() and genuine(data, to)
            yield line

    with (
        pulled() as line,
        refused(
            r"nobody has answered on socket://.* since [2-5] s: .*reset it if it hangs. "
            r"9 of \d+ rows are in .*uart.jsonl: .* --resume"
        ),
    ):
        bench(line.port, groups, interface, tmp_path, said=Said(), patience=2.0)
    assert rows_in(tmp_path / "uart.jsonl") == perfect[:9]
    assert bench(served.port, groups, interface, tmp_path, resume=True).rows == perfect


def test_a_case_that_always_breaks_the_line_is_named(served, groups, interface, tmp_path, monkeypatch):
    before_runs(served.fake, monkeypatch, lambda number: served.fake.restart())
    monkeypatch.setattr(uart, "STUCK", 0.2)
    with refused(
        "demo/MediaContent, 2 images, deserialize \\(hw\\): given up after \\d\\d attempts, .*lost the schema"
    ):
        bench(served.port, groups, interface, tmp_path)


def test_journal_refuses_a_second_row(tmp_path):
    journal = Journal(tmp_path / "x.jsonl", {"a": 1}, resume=False)
    row = {"case": "c", "op": "o", "engine": "e"}
    journal.append(row)
    with pytest.raises(ValueError, match="second row of c, o, e"):
        journal.append(row)
    journal.close()
    (tmp_path / "x.jsonl").write_text('{"case": "c"\n' + json.dumps(row) + "\n")
    with refused("x.jsonl:1 is damaged"):
        Journal(tmp_path / "x.jsonl", {"a": 1}, resume=True)


def test_a_full_disk_keeps_what_is_there(served, groups, interface, tmp_path, perfect, monkeypatch):
    genuine, rows = os.write, [0]

    def write(file, line):
        if b'"suite"' not in line:
            return genuine(file, line)
        rows[0] += 1
        if rows[0] == 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        return genuine(file, line[:10] if rows[0] == 7 else line)

    monkeypatch.setattr("heapwire.measure.journal.os.write", write)
    for already, taken in ((False, 3), (True, 5)):
        with refused(rf"uart.jsonl: the disk is full. {taken} of \d+ rows are in .* --resume"):
            bench(served.port, groups[:1], interface, tmp_path, resume=already)
    assert bench(served.port, groups[:1], interface, tmp_path, resume=True).rows == [
        row for row in perfect if row["case"].startswith("demo/")
    ]


@pytest.mark.parametrize(
    "hello, text",
    [
        ({"interface": 99}, "version 99"),
        ({"sizes": 3 << 16}, "64 bits wide.*DATA_WIDTH=64"),
        ({"sizes": 4 << 16, "capability": 3}, "set CONFIG"),
    ],
)
def test_heapwire_json_of_another_machine(interface, hello, text):
    from heapwire.records.monitor import Hello

    known = Hello(1, 1008, interface.version, 0, 0, 7, 0, 1, 1)
    with refused(text):
        uart.same_machine(Hello(**{**known.__dict__, **hello}), interface)


def test_choice_of_messages(monkeypatch):
    said = []
    (group,) = uart.chosen(("demo",), 300, said.append, [demo_group()])
    assert len(group.cases) == 7
    assert "5 messages are left out" in said[0]
    with refused("no group is named nope"):
        uart.chosen(("nope",), 300, print, [demo_group()])
    monkeypatch.setenv("HEAPWIRE_DATA", "/nowhere")
    with refused("no group is named jsbs.*HEAPWIRE_DATA"):
        uart.chosen(("jsbs",), 300, print, [demo_group()])
    with refused("no message is left"):
        uart.chosen(("demo",), 3, print, [demo_group()])
