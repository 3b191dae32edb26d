"""`make debug BOARD=`: selects the named one of several boards, and never one that was not named."""

import os

import pytest
from click.testing import CliRunner

from heapwire import debug
from heapwire.cli import cli
from tests.common.fixtures import refused
from tests.common.run import script


@pytest.fixture
def devices(tmp_path):
    """Returns a function that plugs in USB devices as the kernel lists them."""

    def plug(place, device, serial, usb_id=("0403", "6015")):
        folder = tmp_path / "usb" / place
        folder.mkdir(parents=True)
        facts = {"idVendor": usb_id[0], "idProduct": usb_id[1], "busnum": "1", "devnum": device, "serial": serial}
        for name, text in facts.items():
            (folder / name).write_text(f"{text}\n")

    plug.folder = tmp_path / "usb"
    return plug


@pytest.fixture
def openocd(tmp_path, monkeypatch):
    """Returns an OpenOCD that records its calls, and the GDB command lines of the sessions."""
    tool = script(tmp_path / "bin" / "openocd", f'#!/bin/sh\necho "$@" >> {tmp_path / "calls"}\n')
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    sessions = []
    monkeypatch.setattr(debug, "_interactive", lambda command: sessions.append(" ".join(command)) or 0)
    return tmp_path / "calls", sessions


def test_one_board_needs_no_name(devices, openocd):
    calls, sessions = openocd
    devices("1-4", 7, "K00001")
    assert debug.board_session("ulx3s", None, devices=devices.folder) == 0
    for text in (calls.read_text(), *sessions):
        assert text.index("adapter serial {K00001}") < text.index("ulx3s.cfg")
    assert len(sessions) == 1


def test_of_two_boards_none_is_halted_unasked(devices, openocd):
    calls, sessions = openocd
    devices("1-4.2", 7, "K00001")
    devices("1-5", 8, "")
    with refused(
        'ulx3s: 2 cables fit:\n  1:7 at 1-4.2, .*\n  1:8 at 1-5, .*\nWhat to do: name one .* ARGS="--cable 1-4.2"'
    ):
        debug.board_session("ulx3s", None, devices=devices.folder)
    assert not sessions and not calls.exists()
    debug.board_session("ulx3s", None, (), "1:8", devices.folder)
    assert "adapter usb location 1-5" in calls.read_text() and "adapter usb location 1-5" in sessions[0]


def test_no_board_and_no_cable(devices, openocd):
    devices("1-4", 7, "K00001", ("1d6b", "0002"))
    with refused("ulx3s: no USB device 0403:6015 is plugged in"):
        debug.board_session("ulx3s", None, devices=devices.folder)
    for name in ("ulx4", "heapwire"):
        with refused(f"no OpenOCD file for board '{name}' .*; there are colorlight_i5, ecpix5"):
            debug.board_session(name, None, devices=devices.folder)
    assert not openocd[1]


def test_the_simulation_has_no_cable():
    done = CliRunner().invoke(cli, ["debug", "--cable", "1-4"])
    assert done.exit_code and "--cable: the simulation has none" in f"{done.output}{done.exception}"
