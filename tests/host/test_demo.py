"""The demo against a monitor in Python."""

import json
import re
from dataclasses import replace

import pytest

from base.errors import HeapwireError
from heapwire import cli
from heapwire import demo as demo_run
from heapwire.client import Engine, Monitor
from heapwire.client.monitor import MonitorError, Run
from heapwire.firmware import FirmwareError
from heapwire.machine import SIMULATED_HZ, UART_CYCLES, simulated_time
from heapwire.measure.messages import demo_group
from heapwire.records.monitor import Operation, Status
from heapwire.schema import compile_proto
from heapwire.workload.messages import PROTO, Case
from tests.common.fixtures import invoke, refused
from tests.host.fake_monitor import BASE, FIXED, FakeMonitor
from tests.host.served_monitor import Served


@pytest.fixture
def session(interface):
    group = demo_group()
    fake = FakeMonitor(interface, group.compile(interface), noise=0.02)
    monitor = Monitor(fake, timeout=0.005, attempts=40, run_timeout=4)
    return fake, demo_run.Session(monitor, group, interface, lambda _: None)


def test_demo_checks_every_message(session):
    _, ready = session
    for case in ready.group.cases:
        outcome = ready.outcome(case)
        assert outcome.problem is None
        wanted = {engine: factor * len(case.data) for engine, factor in zip(Engine, (1, 100, 1000))}
        for runs in outcome.runs.values():
            assert {engine: run.cycles for engine, run in runs.items()} == wanted
            assert demo_run.times(runs) == "100.0x codec"
        assert outcome.object_bytes > len(case.data)


def test_the_table_is_no_wider_than_a_hundred_columns(session, monkeypatch, capsys):
    """Even with the longest name and the longest figures."""
    _, ready = session
    (case,) = ready.group.cases[:1]
    outcome = ready.outcome(replace(case, name="a name that is longer than others"))
    runs = {engine: replace(run, cycles=9_999_999) for engine, run in outcome.read.items()}
    runs[Engine.HW] = replace(runs[Engine.HW], cycles=999_999)
    monkeypatch.setattr(cli.terminal.console, "width", 200)
    cli.terminal.console.print(demo_run.table_of([replace(outcome, read=runs, object_bytes=999_999)]))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100 and any("9,999,999" in line and "10.0x" in line for line in lines)


def test_the_best_software_counts():
    runs = {engine: Run(*[0] * 5, cycles, *[0] * 9) for engine, cycles in zip(Engine, (10, 50, 40))}
    assert demo_run.times(runs) == "4.0x nanopb"
    assert demo_run.times({Engine.HW: runs[Engine.HW]}) == "-"


def test_demo_notices_a_wrong_field(session, monkeypatch):
    fake, ready = session
    genuine = fake._run

    def sabotaged(body):
        answer = genuine(body)
        # The last byte of the first text in the objects.
        at = fake.memory.index(b"Javaone Keynote", FIXED - BASE)
        fake.memory[at + 14] ^= 1
        return answer

    monkeypatch.setattr(fake, "_run", sabotaged)
    outcome = ready.outcome(ready.group.cases[0])
    assert "hw: root.image[0].title: is b'Javaone Keynotd', not b'Javaone Keynote'" in outcome.problem
    assert "WRONG" in str(list(demo_run.table_of([outcome]).columns[-1].cells))


@pytest.fixture
def command(interface, monkeypatch):
    """Yields a function that runs `demo --link` on a monitor in Python with this many units."""

    def run(units, *arguments):
        made.append(Served(FakeMonitor(interface, demo_group().compile(interface), units=units)))
        return invoke("demo", "--link", f"127.0.0.1:{made[-1].port}", *arguments)

    made = []
    monkeypatch.setattr("heapwire.interface.load", lambda *_: interface)
    yield run
    for served in made:
        served.close()


def test_demo_command(command):
    result = command(1)
    output = " ".join(result.output.split())
    assert result.exit_code == 0 and "All 7 messages came back and, written again, with every field" in output
    assert "the unit finished all commands without software" in output
    assert "one link layout; make bench takes the minimum of five" in output and "*" not in output


def test_demo_tells_when_there_is_no_hardware(command):
    with refused("no unit that reads messages"):
        command(0)
    output = " ".join(command(0, "--allow-missing-unit").output.split())
    assert "software finished 7 of them, because the unit could not" in output
    assert "* software finished commands" in output


TEXT = "[/dev/mem] [lowercase] :warning: [bold"
"""Possible text of a file, a line or a peer. It is not our markup."""


def test_text_of_others_is_shown_as_it_is(monkeypatch, capsys):
    monkeypatch.setattr(cli.terminal.console, "width", 200)
    monkeypatch.setattr(cli.terminal.status_console, "width", 200)
    cli.terminal.say(TEXT)
    cli.terminal.error(TEXT)
    assert capsys.readouterr().err == f"{TEXT}\nheapwire: {TEXT}\n"
    run = Run(*[0] * 15)
    outcome = demo_run.Outcome(Case(TEXT, "x", b""), {Engine.HW: run}, {}, 0, TEXT)
    with refused("1 of 1"):
        cli.demos._show([outcome])
    shown = capsys.readouterr().out
    assert shown.count(TEXT) == 2 and shown.count("[/dev/mem]") == 3  # in the error, and folded in the table
    with pytest.raises(HeapwireError):
        cli.measure.tell_problems([TEXT])
    assert capsys.readouterr().out == f"{TEXT}\n"


def test_names_of_folders_are_no_markup(tmp_path):
    folder = tmp_path / "[red]"
    assert "[red]" in invoke("accessors", PROTO, "-o", folder).output.replace("\n", "") and folder.exists()


def test_rows_of_the_demo_are_kept(interface, monkeypatch, tmp_path):
    group = demo_group()
    monitor = Monitor(FakeMonitor(interface, group.compile(interface)))
    outcomes = list(demo_run.run_demo(demo_run.Session(monitor, group, interface, lambda _: None), lambda _: None))
    monkeypatch.setattr(cli.demos, "ROOT", tmp_path)
    cli.demos._keep(outcomes, interface)
    (file,) = (tmp_path / "build" / "bench").glob("demo*.jsonl")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    first = outcomes[0]
    wanted = [
        (engine.name.lower(), op, runs[engine].cycles)
        for op, runs in (("deserialize", first.read), ("serialize", first.written))
        for engine in (Engine.NANOPB, Engine.TABLE, Engine.HW)
    ]
    mine = [row for row in rows if row["case"] == first.case.name]
    assert [(row["engine"], row["op"], row["cycles"]) for row in mine] == wanted
    assert all(row["ok"] is True and row["revision"] and row["suite"] == "demo" for row in rows)


def test_every_long_step_is_told_of(interface):
    group = demo_group()
    del group.cases[1:]
    said = []
    monitor = Monitor(FakeMonitor(interface, group.compile(interface)))
    name = group.cases[0].name
    list(demo_run.run_demo(demo_run.Session(monitor, group, interface, lambda _: None, say=said.append), said.append))
    schema = ["waiting for the monitor to answer", "sending the schema", "waiting for the firmware to load the schema"]
    hw = ["waiting for HW, reading", "reading the fixed arena back", "reading the flexible arena back"]
    writing = [f"waiting for {engine}, writing" for engine in ("TABLE", "HW")]
    nanopb = ["waiting for NANOPB, reading", "waiting for NANOPB, writing"]
    wanted = [*schema, name, "sending the message", "waiting for TABLE, reading", *hw, *writing, *nanopb, name]
    assert [text.split(":")[0] for text in said] == wanted
    size = len(group.cases[0].data)
    cycles = f"{UART_CYCLES * size:,} cycles"
    assert f"sending the message: {size} bytes over the UART, about {cycles}, under a second" in said
    assert re.search(r" cycles simulated so far, \d+ s since the first message$", said[-1])


def test_cycles_of_a_simulation_are_told_in_seconds():
    assert simulated_time(SIMULATED_HZ // 2 - 1).endswith("9 cycles, under a second")
    assert simulated_time(1234 * SIMULATED_HZ).endswith(" cycles, 1,234 s")


def test_a_large_message_is_told_of_before_anything_is_built(tmp_path):
    (tmp_path / "t.proto").write_text('syntax = "proto3"; message M { bytes b = 1; }')
    arguments = "demo", "--parse-only", "--proto", tmp_path / "t.proto", "--type", "M", "--data", tmp_path / "m.bin"
    for size, seconds in ((100_000, None), (20_000_000, "6,000 s")):
        message = compile_proto(tmp_path / "t.proto").message_class("M")(b=bytes(size))
        (tmp_path / "m.bin").write_bytes(message.SerializeToString())
        said = " ".join(invoke(*arguments).output.split())
        assert seconds in said and "What to do" in said if seconds else not said


def test_preloaded_messages_stay_within_the_buffer(interface):
    memory = interface.cluster["memoryBytes"]
    base, room = interface.cluster["memoryBase"] + memory // 4, memory // 32 * 5

    def placed(*sizes):
        cases = [type(demo_group().cases[0])(f"case {i}", "x", bytes([i]) * size) for i, size in enumerate(sizes)]
        return demo_run.Placement.of(demo_run.Group("g", None, cases), interface).addresses

    assert list(placed(8192, 10_000, room - 10_048).values()) == [base, base + 10_048]
    with refused(f"case 2: {room - 10_047:,} bytes do not fit .* has {room - 10_048:,} left"):
        placed(8192, 10_000, room - 10_047)


def test_demo_reports_a_status(session, everything):
    fake, ready = session
    ready.group.cases[0] = type(ready.group.cases[0])("bad", "heapwire.demo.Image", b"\x0a\x05ab")
    with refused("bad: the official library refuses"):
        ready.outcome(ready.group.cases[0])


@pytest.fixture
def demo_of(interface, tmp_path):
    """Returns a session with one message of a schema of its own, and its machine."""

    def of(proto, type_name, data):
        (tmp_path / "t.proto").write_text(proto)
        (tmp_path / "t.bin").write_bytes(data)
        group = demo_run.user_group(tmp_path / "t.proto", type_name, tmp_path / "t.bin")
        return demo_run.Session(
            Monitor(FakeMonitor(interface, group.compile(interface))), group, interface, lambda _: None
        )

    return of


REQUIRED = """syntax = "proto2"; package t; message M { required int32 need = 1; optional int32 other = 2; }"""


def test_a_message_that_lacks_what_is_required_is_refused_by_right(demo_of, capsys):
    session = demo_of(REQUIRED, "M", b"\x10\x05")
    outcome = session.outcome(session.group.cases[0])
    assert outcome.problem is None and outcome.lacks == ("need",) and not outcome.written
    cli.demos._show([outcome])
    shown = capsys.readouterr().out
    assert "refused" in shown and "t.bin: refused, as it should be: it lacks need" in shown and "WRONG" not in shown


def test_to_take_it_is_wrong(demo_of, monkeypatch):
    session = demo_of(REQUIRED, "M", b"\x10\x05")
    monkeypatch.setattr(session, "run", lambda *arguments, **options: Run(*[0] * 15))
    outcome = session.outcome(session.group.cases[0])
    assert "hw: it takes a message that lacks required fields" in outcome.problem


def test_where_nanopb_fails_the_hardware_may_be_right(demo_of, monkeypatch, capsys):
    session = demo_of(REQUIRED, "M", b"\x08\x05")
    genuine = session.check_encoding
    monkeypatch.setattr(
        session,
        "check_encoding",
        lambda run, expected, engine: "no memory" if engine is Engine.NANOPB else genuine(run, expected, engine),
    )
    outcome = session.outcome(session.group.cases[0])
    assert outcome.problem is None and all(Engine.NANOPB not in runs for runs in outcome.runs.values())
    cli.demos._show([outcome])
    shown = capsys.readouterr().out
    assert "failed" in shown and "equal" in shown
    assert "t.bin: nanopb, which is measured for comparison, fails: no memory" in shown


@pytest.mark.parametrize("failing", ["generate_peers", "build"])
def test_where_nanopb_cannot_be_built_the_demo_goes_on(failing, monkeypatch, tmp_path):
    def build(image, parts, out, peers=None):
        if peers and failing == "build":
            raise FirmwareError("building failed:\nIn file x.h:1\nx.h:7:9: error: too large\nmake: *** Error 1")
        return peers

    def generate(schema, roots, folder):
        if failing == "generate_peers":
            raise FirmwareError("nanopb's generator failed:\nTraceback\nException: too large")
        return True

    monkeypatch.setattr("heapwire.firmware.generate_peers", generate)
    monkeypatch.setattr("heapwire.firmware.build", build)
    said = []
    assert demo_run._image(demo_group(), said.append) is None
    assert re.search("cannot be built: .*too large. Its column shows -", said[-1])


def test_an_image_that_cannot_be_built_without_nanopb_either_is_an_error(monkeypatch):
    def build(*arguments):
        raise FirmwareError("no compiler")

    monkeypatch.setattr("heapwire.firmware.generate_peers", lambda *arguments: True)
    monkeypatch.setattr("heapwire.firmware.build", build)
    with refused("no compiler"):
        demo_run._image(demo_group(), lambda text: None)


EXTENDED = """syntax = "proto2"; package t;
message M { optional int32 x = 1; extensions 100 to 200; }
message Set { option message_set_wire_format = true; extensions 4 to max; }
message Item { extend Set { optional Item in_set = 1000; } optional int32 y = 1; }
extend M { optional int32 more = 100; }"""


@pytest.mark.parametrize(
    "type_name, data, shown",
    [
        ("M", "0805a00607", ["1: x = 5", "100: unknown varint = 7"]),
        (
            "Set",
            "0b10e8071a0208010c",
            ["1: unknown group =", "  2: unknown varint = 1000", "  3: unknown bytes = b'\\x08\\x01'"],
        ),
    ],
)
def test_extensions_are_unknown_fields(demo_of, tmp_path, type_name, data, shown):
    """This includes extensions that the schema declares, and the contents of message sets."""
    session = demo_of(EXTENDED, type_name, bytes.fromhex(data))
    outcome = session.outcome(session.group.cases[0])
    assert outcome.problem is None
    result = invoke("decode", "--proto", tmp_path / "t.proto", "--type", type_name, "--data", tmp_path / "t.bin")
    assert all(f"  {line}" in result.output.splitlines() for line in shown)


def test_what_nanopb_cannot_write_again_is_its_failure(demo_of, monkeypatch):
    """The monitor refuses to answer. The hardware's result stands."""
    session = demo_of(REQUIRED, "M", b"\x08\x05")
    genuine = session.run

    def run(engine, *arguments):
        if engine is Engine.NANOPB:
            raise MonitorError(Operation.RUN, Status.TOO_LARGE, "no room")
        return genuine(engine, *arguments)

    monkeypatch.setattr(session, "run", run)
    outcome = session.outcome(session.group.cases[0])
    assert outcome.problem is None and "no room" in outcome.peer_problem


def test_fields_may_be_called_like_methods_of_the_library(demo_of, tmp_path):
    names = "HasField ByteSize DESCRIPTOR FindInitializationErrors SerializePartialToString CopyFrom".split()
    names += "DiscardUnknownFields ListFields FromString".split()
    fields = "".join(f"optional int32 {name} = {number};" for number, name in enumerate(names, 1))
    session = demo_of(
        f'syntax = "proto2"; package t; message M {{ {fields} map<int32, M> inner = 15; }}',
        "M",
        bytes.fromhex("08051006180720077a0208017a06080212020809"),
    )
    assert session.outcome(session.group.cases[0]).problem is None
    assert invoke("decode", "--proto", tmp_path / "t.proto", "--type", "M", "--data", tmp_path / "t.bin").exit_code == 0


@pytest.mark.parametrize("proto_file", ["google/protobuf/mine.proto", "other/mine.proto"])
def test_extensions_of_imported_files_are_unknown_fields(demo_of, tmp_path, proto_file):
    (tmp_path / proto_file).parent.mkdir(parents=True)
    (tmp_path / proto_file).write_text(
        """syntax = "proto2"; package i; message M { optional int32 x = 1; extensions 100 to 200; }
        extend M { optional int32 more = 100; }"""
    )
    session = demo_of(
        f'syntax = "proto2"; package t; import "{proto_file}"; message Outer {{ optional i.M m = 1; }}',
        "Outer",
        bytes.fromhex("0a050805a00607"),
    )
    assert session.outcome(session.group.cases[0]).problem is None
