"""Ports: opening them, the errors if that fails, and answers from other programs."""

import errno
import json
import os
import struct
import termios
import threading
import time
import tty

import pytest
from click.testing import CliRunner

from boards import cluster as clusters
from heapwire import board, cli
from heapwire.client import Disconnected, LinkError, Monitor, connect
from heapwire.client.line import Line
from heapwire.client.ports import explained
from heapwire.interface import load
from heapwire.records.monitor import Operation, Status
from tests.common.fixtures import refused
from tests.host.fake_monitor import Refusal
from tests.host.served_monitor import Multi, Served, groups, served  # noqa: F401 (fixtures)


@pytest.fixture
def terminal():
    """Yields both ends of a pseudo-terminal, and the path of the near one."""
    far, near = os.openpty()
    tty.setraw(near)
    yield far, os.ttyname(near)
    for end in (far, near):
        try:
            os.close(end)
        except OSError:
            pass


def test_a_port_that_is_not_there():
    with pytest.raises(Disconnected, match="there is no /dev/nowhere: is the board plugged in. Serial ports here: "):
        connect("/dev/nowhere")


def test_a_port_that_is_busy(terminal):
    first = connect(terminal[1])
    with pytest.raises(Disconnected, match="is busy: another program has it open"):
        connect(terminal[1])
    first.close()
    connect(terminal[1]).close()


def test_a_port_without_permission(tmp_path):
    device = tmp_path / "ttyUSB0"
    device.touch()
    assert "belongs to the group root; `sudo usermod -aG root $USER`, then log in again" in explained(
        str(device), PermissionError(errno.EACCES, "denied")
    )
    assert explained(str(device), OSError(errno.EIO, "broken")).startswith(f"cannot open {device}")


def test_a_cable_that_is_pulled(terminal):
    far, path = terminal
    port = connect(path)
    os.write(far, b"abc")
    assert port.read(1) == b"abc" and port.read(0.01) == b""
    os.close(far)
    with pytest.raises(Disconnected, match=f"{path} is gone"):
        for _ in range(3):
            port.write(b"x")
            port.read(0.1)


def test_a_port_that_hung_up_has_no_rate(terminal, monkeypatch):
    """termios.error is neither an OSError nor pyserial's."""
    far, path = terminal
    port = connect(path)
    os.close(far)
    with pytest.raises(Disconnected, match=f"{path} cannot be set to 230,400 baud"):
        port.set_rate(230_400)
    monkeypatch.setattr(
        "serial.serial_for_url", lambda *_, **__: (_ for _ in ()).throw(termios.error(errno.EIO, "broken"))
    )
    with pytest.raises(Disconnected, match=f"there is no {path}"):
        connect(path)


class Plugged:
    """A FakeMonitor with a rate behind a port of this name. Its cable is pulled after `pull_at` proposals of a rate.
    `plug` restores it."""

    def __init__(self, fake, path, pull_at):
        self.fake, self.path, self.proposed, self.pull_at = fake, path, [], pull_at
        self.out = threading.Event()
        fake._baud = self._baud
        self.plug()

    def _baud(self, body):
        self.proposed.append(struct.unpack("<I", body)[0])
        return body

    def plug(self):
        far, near = os.openpty()
        tty.setraw(near)
        self.out.clear()
        self.path.unlink(missing_ok=True)
        self.path.symlink_to(os.ttyname(near))
        threading.Thread(target=self._serve, args=(far, near), daemon=True).start()

    def _serve(self, far, near):
        """Serves until the proposal of a rate that the cable does not survive. That proposal is answered, but nothing
        is ever heard at the new rate."""
        try:
            while len(self.proposed) != self.pull_at:
                self.fake.write(os.read(far, 4096))
                os.write(far, self.fake.read(0))
        finally:
            self.pull_at = None
            for end in (near, far):
                os.close(end)
            self.out.set()


@pytest.mark.parametrize("proposal", [1, 2])
def test_a_cable_that_is_pulled_during_a_rate_trial(interface, groups, tmp_path, proposal):
    cable = Plugged(Multi(interface, groups), tmp_path / "tty", proposal)
    said = []

    class Said(list):
        def append(self, text):
            said.append(text)
            if text.startswith("waiting for") and cable.out.is_set():
                cable.plug()

    refused = [3_000_000] if proposal == 2 else []
    genuine = cable.fake._baud

    def baud(body):
        answer = genuine(body)
        if struct.unpack("<I", body)[0] in refused:
            raise Refusal(Status.BAD_BODY)
        return answer

    cable.fake._baud = baud
    line = Line(str(cable.path), Said().append, patience=20.0, timeout=0.5)
    begun = time.monotonic()
    monitor, hello = line.connect()
    assert time.monotonic() - begun < 10
    assert hello.protocol == 1 and line.connections == 2
    assert any(text.startswith(f"waiting for {cable.path}: ") for text in said)
    assert monitor.transport.rate == (2_000_000 if refused else 3_000_000)
    line.close()


def test_a_monitor_that_is_lost_in_every_trial_is_given_up(interface, groups, tmp_path, monkeypatch):
    cable = Plugged(Multi(interface, groups), tmp_path / "tty", None)
    monkeypatch.setattr(
        "heapwire.client.line.raise_rate", lambda *_: (_ for _ in ()).throw(LinkError("carries it too badly"))
    )
    line = Line(str(cable.path), lambda _: None, patience=2.0, timeout=0.5)
    begun = time.monotonic()
    with pytest.raises(LinkError, match="nobody has answered on .*carries it too badly"):
        line.connect()
    assert time.monotonic() - begun < 10
    line.close()


def test_urls():
    loop = connect("loop://")
    loop.write(b"around")
    assert loop.read(1) == b"around"
    with pytest.raises(Disconnected, match="cannot open nonsense://"):
        connect("nonsense://x")
    with pytest.raises(Disconnected, match="nobody listens on 127.0.0.1:1"):
        connect("socket://127.0.0.1:1", patience=0)


@pytest.mark.parametrize(
    "says, text",
    [
        (b"\r\nlitex> \xff?\r\nlitex> ", "a LiteX BIOS answers, not the monitor: load the monitor"),
        (b"\nboot: trap, mcause 2\n", "the boot ROM speaks"),
        (b"boot: memory test failed at 40000004: read 0", "memory faulty: memory test failed at 40000004"),
        (b"login:", "does the monitor run there"),
        (b"", "does the monitor run there"),
    ],
)
def test_somebody_else_answers(terminal, says, text):
    far, path = terminal

    def prompt():
        while True:
            try:
                if b"\n" in os.read(far, 1000):
                    os.write(far, says)
            except OSError:
                return

    threading.Thread(target=prompt, daemon=True).start()
    line = Line(path, lambda _: None, patience=0.4, timeout=0.02, max_baud=115200)
    with pytest.raises(LinkError, match=f"nobody has answered on {path}: .*{text}"):
        line.connect()
    line.close()


def test_bench_command(served, interface, tmp_path, monkeypatch):
    monkeypatch.setattr("heapwire.cli.measure.ROOT", tmp_path)
    monkeypatch.setattr("heapwire.interface.load", lambda *_: interface)

    def run(*arguments):
        return CliRunner().invoke(
            cli.cli,
            ["bench", "--port", f"socket://127.0.0.1:{served.port}", "--limit", "60", *arguments],
            catch_exceptions=False,
        )

    result = run("--group", "fields", "--name", "board-1")
    assert result.exit_code == 0 and "board-1.jsonl" in result.output.replace("\n", "")
    assert "fields/trade" in result.output
    lines = (tmp_path / "build" / "bench" / "board-1.jsonl").read_text().splitlines()
    assert len(lines) == 12 and all('"suite": "board-1"' in line and '"ok": true' in line for line in lines)
    served.fake.executed.clear()
    assert run("--group", "fields", "--name", "board-1", "--resume").exit_code == 0
    assert Operation.RUN not in served.fake.executed
    for arguments, text in ((["--name", "a/b"], "use letters"), (["--group", "x"], "no group is named x")):
        with refused(text):
            run(*arguments)
    served.fake.units = 0
    with refused("--allow-missing-unit"):
        run()
    assert run("--allow-missing-unit").exit_code == 0


def cluster_of(folder, interface, memory_mb=8, **facts):
    """Writes the heapwire.json of a machine like the current one, with other facts of its cluster."""
    document = json.loads(interface.path.read_text())
    document["cluster"] |= {"memoryBytes": memory_mb << 20, "dataWidth": 32} | facts
    folder.mkdir(parents=True)
    (folder / "heapwire.json").write_text(json.dumps(document))
    return load(folder / "heapwire.json")


@pytest.fixture
def built(interface, groups, tmp_path, monkeypatch):
    """Yields the build of tang_nano_20k beside the default machine, and its monitor."""
    monkeypatch.setattr("heapwire.cli.measure.ROOT", tmp_path)
    monkeypatch.setattr(clusters, "ROOT", tmp_path)
    for name in ("HEAPWIRE_JSON", "CONFIG", "DATA_WIDTH", "UNIT_CLOCK", "LIKE"):
        monkeypatch.delenv(name, raising=False)
    cluster_of(tmp_path / "build" / "gen" / "default-128", interface, memory_mb=256, dataWidth=128)
    board = Served(Multi(cluster_of(tmp_path / "build" / "gen" / "tang_nano_20k", interface), groups))
    yield board
    board.close()


def bench_command(*arguments):
    return CliRunner().invoke(
        cli.cli, ["bench", "--limit", "60", "--group", "fields", *arguments], catch_exceptions=False
    )


def test_bench_of_a_board(built, tmp_path, monkeypatch):
    """The bench compares the board with the board's build, not with the default machine."""
    port = f"socket://127.0.0.1:{built.port}"
    with refused("32 bits wide, .*default-128/heapwire.json is of one of 128: set DATA_WIDTH=32, or name the board"):
        bench_command("--port", port)
    assert bench_command("--port", port, "--board", "tang_nano_20k").exit_code == 0
    # This port looks like the board's.
    monkeypatch.setattr(board, "port", lambda name: {"tang_nano_20k": port}[name])
    assert bench_command("--board", "tang_nano_20k", "--resume").exit_code == 0
    own = tmp_path / "build" / "gen" / "tang_nano_20k" / "heapwire.json"
    monkeypatch.setenv("HEAPWIRE_JSON", str(own))
    assert (
        bench_command("--port", port).exit_code
        == bench_command("--port", port, "--board", "tang_nano_20k").exit_code
        == 0
    )
    monkeypatch.setenv("HEAPWIRE_JSON", str(own.parents[1] / "default-128" / "heapwire.json"))
    with refused("HEAPWIRE_JSON is .*default-128.*, and --board tang_nano_20k means .*: unset the one or leave out"):
        bench_command("--port", port, "--board", "tang_nano_20k")


@pytest.mark.parametrize(
    "arguments, text",
    [
        (["ulx4"], "no board 'ulx4'; there are .*ulx3s"),
        (["ulx3s", "--device", "12F"], "ULX3S has no part '12F'; there are 85F, 45F, 25F"),
        (["ulx3s", "--config", "huge"], "no configuration 'huge'; there are tiny, "),
        (["ulx3s"], r"build/gen/ulx3s/heapwire.json is not there: .* What to do: make firmware BOARD=ulx3s$"),
        (
            ["ulx3s", "--device", "25F"],
            r"gen/ulx3s-tiny/heapwire.json is not there: .* make firmware BOARD=ulx3s DEVICE=25F$",
        ),
        (
            ["ulx3s", "--config", "bare"],
            r"gen/ulx3s-bare/heapwire.json is not there: .* make firmware BOARD=ulx3s CONFIG=bare$",
        ),
    ],
)
def test_a_board_that_is_not_there_or_was_not_built(built, arguments, text):
    with refused(text):
        bench_command("--port", "socket://127.0.0.1:1", "--board", *arguments)


def test_the_port_of_a_board(monkeypatch):
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: [])
    with refused(
        "ulx3s: no serial port of it is there. What to do: connect the board, or name the port, --port /dev/tty"
    ):
        board.port("ulx3s")


def test_options_of_a_board_want_one():
    result = CliRunner().invoke(cli.cli, ["bench", "--port", "loop://", "--device", "25F"])
    assert result.exit_code == 2 and "--device: only with --board" in result.output


def test_a_bench_wants_a_machine():
    result = CliRunner().invoke(cli.cli, ["bench", "--resume"])
    assert result.exit_code == 2 and "which machine? Give --port or --board" in result.output


def test_the_first_sequence_differs_between_sessions():
    """An answer to an earlier session, if it was not read, is no answer to this one."""
    assert len({Monitor(connect("loop://")).sequence for _ in range(50)}) > 10
