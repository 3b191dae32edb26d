"""make demo-skyway reports mistakes before it builds or starts anything. It names a machine that fails or falls
silent."""

import io
import json
import time
from dataclasses import replace
from unittest.mock import MagicMock

import pytest
from rich.console import Console

from base.errors import BadInput, HeapwireError
from heapwire.board import asked
from heapwire.cli import terminal
from sim.run import SimulationError
from study import cli, shuffle
from study.shuffle import broadcast, shown, units
from study.shuffle import demo as skyway
from study.shuffle.plain import digest


@pytest.fixture
def nothing_is_built(monkeypatch):
    def build(*_, **__):
        raise AssertionError("a build has begun")

    monkeypatch.setattr(skyway.built, "image", build)
    monkeypatch.setattr(skyway.firmware, "build_for_host", build)


def mistaken(arguments, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["heapwire", "demo-skyway", *arguments])
    monkeypatch.setattr(terminal.status_console, "width", 20)
    with pytest.raises(SystemExit) as end:
        cli.main()
    told = capsys.readouterr()
    assert end.value.code == 2 and told.out == ""
    (line,) = told.err.splitlines()
    return line


@pytest.mark.parametrize(
    "arguments, text",
    [
        (["--words", "0"], f"0 words: 1 to {shuffle.MOST_WORDS}"),
        (["--words", "-5"], f"-5 words: 1 to {shuffle.MOST_WORDS}"),
        (["--words", str(1 << 40)], f"{1 << 40} words: 1 to {shuffle.MOST_WORDS}"),
        (["--vertices", "0"], f"0 vertices: 1 to {shuffle.MOST_VERTICES}"),
        (["--vertices", "20001"], "20001 vertices: 1 to 20000"),
        (["--orders", "0"], f"0 orders: 1 to {shuffle.MOST_ORDERS}"),
        (["--objects", "65"], "65 objects: 1 to 64"),
        (["--machines", "1"], "1 machines: 2 to 5"),
        (["--machines", "6"], "6 machines: 2 to 5"),
        (["--machines", "3", "--host"], "3 machines: with a process of this host there are two"),
        (["--byte-cycles", "0"], "0 cycles a byte: 1 to 10000"),
        (["--program", "sort"], f"no program sort; there are {', '.join(shuffle.PROGRAMS)}, jsbs"),
        (["--words", "many"], "'many' is not a valid integer"),
        (["--host", "yes"], "unexpected extra argument (yes)"),
        (["--second"], "No such option: --second"),
        (["--serializer", "kryo"], f"no serializer kryo; there are {', '.join(shuffle.SERIALIZERS)}"),
        (["--host", "--serializer", "hw"], "serializer hw: a process of this host has no units"),
    ],
)
def test_mistakes(arguments, text, nothing_is_built, monkeypatch, capsys):
    assert text in mistaken(arguments, monkeypatch, capsys)


@pytest.mark.parametrize(
    ("config", "serializer", "text"),
    [
        ("default", "hw", "the configuration default has no units of Cereal. What to do: CONFIG=cereal or"),
        ("full-k64", "skyway-hw", "full-k64 has no units with Skyway's modes. What to do: CONFIG=skyway"),
        ("cereal-x2", "skyway-hw", "the configuration cereal-x2 has no units with Skyway's modes"),
        ("cereal-vanilla", "skyway-hw", "the configuration cereal-vanilla has no units with Skyway's modes"),
    ],
)
@pytest.mark.parametrize("more", [(), ("--parse-only",)])
def test_units_that_are_not_there(config, serializer, text, more, nothing_is_built, monkeypatch, capsys):
    """make asks with --parse-only before it builds anything: the hardware's facts are not there yet."""
    monkeypatch.setenv("CONFIG", config)
    monkeypatch.delenv("LIKE", raising=False)
    monkeypatch.setattr("heapwire.interface.load", lambda *_: pytest.fail("the hardware need not be generated"))
    assert text in mistaken(["--serializer", "java", "--serializer", serializer, *more], monkeypatch, capsys)


def test_units_of_a_board(interface, nothing_is_built, monkeypatch):
    """Only its hardware tells the configuration of a board."""
    monkeypatch.setenv("LIKE", "ulx3s")
    assert asked() is None
    units.check(["hw"], asked(), False)
    facts = {**interface.cluster, "config": "tiny"}
    monkeypatch.setattr("heapwire.interface.load", lambda *_: type("Interface", (), {"cluster": facts}))
    monkeypatch.setattr(skyway, "default_parts", lambda: None)
    with pytest.raises(BadInput, match="the configuration tiny has no units of Cereal"):
        skyway.run(["hw"], lambda _: None)


def test_a_configuration_that_is_not_there(monkeypatch, nothing_is_built):
    monkeypatch.setenv("CONFIG", "nosuch")
    monkeypatch.delenv("HEAPWIRE_JSON", raising=False)
    with pytest.raises(HeapwireError, match="nosuch-128.*make verilog"):
        skyway.run(["skyway-sw"], lambda _: None)


def test_sizes_that_are_there():
    most = skyway.Sizes(shuffle.MOST_WORDS, shuffle.MOST_VERTICES, shuffle.MOST_ORDERS)
    for sizes in (skyway.Sizes(), skyway.Sizes(1, 1, 1), most):
        skyway.check(shuffle.SERIALIZERS, sizes, list(shuffle.PROGRAMS))
    with pytest.raises(BadInput):
        skyway.check(["Java"])


def test_queries_run_when_they_are_named(monkeypatch):
    seen = []
    monkeypatch.setattr(skyway, "run", lambda _, __, sizes, ___, programs, medium: seen.append((sizes, programs)) or [])
    for arguments in ([], ["--program", "query-c", "--orders", "30"]):
        monkeypatch.setattr("sys.argv", ["heapwire", "demo-skyway", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
        assert not end.value.code
    (sizes, usual), (other, chosen) = seen
    assert (usual, chosen) == (tuple(shuffle.SPARK), ("query-c",))
    assert [sizes.of("query-c"), other.of("query-c"), other.of("triangles")] == [shuffle.ORDERS, 30, shuffle.VERTICES]


class Machine:
    """The part of a machine that the listener uses."""

    def __init__(self, name, uart=b"", over=False):
        self.name, self.uart, self.over = name, uart, over


def row(program, worker, **more):
    """Returns the row that a machine prints. The first worker has found everything, the others nothing."""
    found = shuffle.results(program, 8)
    names = {"program": program, "serializer": "java", "scale": 8, "worker": worker, "fallbacks": 0, "ok": True}
    counts = {"local_bytes": 1, "remote_bytes": 50, "phases": 3, "roots": 2} | dict.fromkeys(shuffle.TIMES, 10 + worker)
    given = {"results": 0 if worker else len(found), "digest": 0 if worker else digest(found)}
    return names | counts | given | more


def line(*rows):
    return b"".join(json.dumps(each).encode() + b"\r\n" for each in rows)


def test_what_machines_tell():
    said = []
    listener = skyway.Listener(said.append, 2)
    one, other = (line(row("components", worker)) for worker in (0, 1))
    machines = [Machine("machine 0", b"boot\n" + one), Machine("machine 1", other[:-9])]
    listener.hear(machines)
    assert listener.done == []
    machines[1].uart = other
    listener.hear(machines)
    assert said == ["components by java: 66 cycles"] and listener.done[0].problem is None
    assert (listener.done[0].bytes, listener.done[0].computation, listener.done[0].transfer) == (100, 11, 22)
    for machine, worker in zip(machines, (0, 1)):
        machine.uart += line(
            row("triangles", worker, digest=5),
            row("page-rank", worker, ok=False),
            row("word-count", worker, fallbacks=worker),
        )
    listener.hear(machines)
    assert [each.problem for each in listener.done] == [
        None,
        "the result is not what a plain computation says",
        "it failed",
        "software did a unit's work",
    ]
    table = shown.of_programs(listener.done)
    assert [str(cell) for cell in table.columns[-1].cells if str(cell)] == ["equal", "WRONG", "WRONG", "WRONG"]


def test_the_table_fits_a_terminal():
    """Nothing is cut off the table of a demonstration without arguments."""
    runs = [
        skyway.Run(program, "kryo-generic", 200, 9_999_999, 9_999_999, 99_999, 9_999_999, 999_999, 99_999, 10, None)
        for program in shuffle.PROGRAMS
    ]
    console = Console(width=80, file=io.StringIO())
    console.print(shown.of_programs(runs))
    text = console.file.getvalue()
    line = "9,999,999 9,999,999 99,999 9,999,999 999,999 99,999     10 equal"
    assert "…" not in text and text.count(line) == len(shuffle.PROGRAMS)


def test_what_a_broadcast_costs(tmp_path, monkeypatch):
    """Costs are those of one object; rows have the form of a suite's."""
    run = skyway.Run("jsbs", "java", 2, 990, 0, 0, 600, 390, 36_000, 3, None, 5, 150, 240)
    assert broadcast.cost(run) == broadcast.Cost(25, 100, 10, 300)
    target = tmp_path / "bench" / "broadcast.jsonl"
    broadcast.write([run, run], skyway.Medium(5, 20), target)
    rows = [json.loads(text) for text in target.read_text().splitlines()]
    assert len(rows) == 2 and rows[0]["case"] == "media/2x5" and rows[0]["byte_cycles"] == 20 and rows[0]["ok"] is True
    for done, machines in (([replace(run, problem="it failed")], 5), ([run], 2)):
        broadcast.write(done, skyway.Medium(machines, 20), target)
        assert len(target.read_text().splitlines()) == 2, "the rows of the run before stay"
    console = Console(width=80, file=io.StringIO())
    console.print(shown.of_broadcasts([run]))
    assert ["java", "25", "100", "10", "300"] in [text.split() for text in console.file.getvalue().splitlines()]


def test_rooms():
    """Small problems have the room that they always had, and large ones more."""
    assert skyway.Room.of([("page-rank", "java", 400), ("word-count", "java", 10_000)]).heap == 2 << 20
    assert skyway.Room.of([("query-c", "java", shuffle.MOST_ORDERS)]).heap == 2 << 20, (
        "orders have the small room alone"
    )
    large = skyway.Room.of([("page-rank", "java", 24), ("page-rank", "java", 401)])
    assert large.heap == 24 << 20 and large.tell


def test_what_the_switch_finds_is_told(interface, monkeypatch):
    line = MagicMock()
    line.__enter__().check.side_effect = SimulationError("machine 1: its line tells of 11 bytes in a quantum")
    monkeypatch.setattr(skyway.built, "image", lambda *_: None)
    monkeypatch.setattr(skyway, "_line", lambda _: line)
    monkeypatch.setattr(skyway, "_machines", lambda *_: [Machine("machine 0")])
    with pytest.raises(HeapwireError, match="^machine 1: its line tells of 11 bytes in a quantum$"):
        skyway.run(["java"], lambda _: None, medium=skyway.Medium(3))


def test_a_machine_that_says_so_has_failed():
    told = "page-rank by java, phase 2: an object cannot be read"
    machines = [Machine("machine 0"), Machine("the host's machine", f"# {told}\n".encode())]
    with pytest.raises(HeapwireError, match=f"^the host's machine: {told}$"):
        skyway.Listener(lambda _: None, 1).hear(machines)


def test_silence_is_noticed(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    listener = skyway.Listener(lambda _: None, 2, silence=30)
    machines = [Machine("machine 0", over=True), Machine("machine 1")]
    now[0] = 129
    machines[1].uart = b"a word"
    listener.hear(machines)
    now[0] = 159
    listener.hear(machines)
    now[0] = 159.5
    with pytest.raises(HeapwireError, match="^nothing was heard for 30 seconds; still going: machine 1$"):
        listener.hear(machines)
