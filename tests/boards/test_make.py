"""The arguments that make passes to the boards, and its refusals before it sets anything up."""

import os
import subprocess
import sys

import pytest

from base.repository import ROOT
from boards import NAMES

OURS = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "CONFIG", "DATA_WIDTH", "UNIT_CLOCK", "LIKE", "BOARD", "DEVICE", "ARGS")


def dry_run(*arguments):
    """Runs `make -n` with these arguments, without the variables of an outer make."""
    environment = {name: value for name, value in os.environ.items() if name not in OURS}
    return subprocess.run(
        ["make", "-n", "SKIP_DEBIAN=1", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
    )


@pytest.mark.parametrize("target", ["bitstream", "load", "flash", "term", "firmware"])
@pytest.mark.parametrize("name", ["ulx4", "ulx3s ecpix5"])
def test_an_unknown_board_is_refused_before_anything_else(target, name):
    done = dry_run(target, f"BOARD={name}")
    assert (
        done.returncode
        and done.stdout == ""
        and f"no board '{name}'." in done.stderr
        and " ".join(NAMES) in done.stderr
    )


@pytest.mark.parametrize(
    "targets, instead", [(["demo"], "LIKE=ulx3s"), (["firmware", "bench"], "LIKE=ulx3s"), (["test"], "leave out BOARD")]
)
def test_a_board_is_refused_where_it_would_be_ignored(targets, instead):
    done = dry_run(*targets, "BOARD=ulx3s")
    assert done.returncode and done.stdout == "" and f"What to do: {instead}" in done.stderr


def test_an_empty_board_is_no_board():
    assert dry_run("help", "BOARD=").returncode == dry_run("known-test-suite", "BOARD=").returncode == 0


@pytest.mark.parametrize("target", ["bitstream", "load", "flash", "term"])
def test_no_board_is_asked_for(target):
    done = dry_run(target)
    assert done.returncode and "which board? What to do: BOARD=" in done.stderr


def test_flags_are_shown_without_a_board():
    done = subprocess.run(
        [sys.executable, "-m", "boards", "", "--build", "--help"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0 and "--seeds" in done.stdout


def test_a_flag_that_would_have_no_effect_is_refused_before_anything_is_built():
    done = subprocess.run(
        [sys.executable, "-m", "boards", "ulx3s", "--build", "--parse-only", "--no-uart"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and "--no-uart: Heapwire's SoC needs it" in done.stderr


@pytest.mark.parametrize(
    "words, command",
    [
        (["bitstream", "BOARD=ulx3s"], 'boards "ulx3s" --build'),
        (
            ["bitstream", "BOARD=ulx3s", "DEVICE=45F", "CONFIG=tiny", "ARGS=--seeds 5"],
            'boards "ulx3s" --device "45F" --cpu-variant "tiny" --build --seeds 5',
        ),
        (
            ["load", "BOARD=ecpix5", "ARGS=--prog openocd --cable 1-4"],
            'boards "ecpix5" --load --prog openocd --cable 1-4',
        ),
        (["flash", "BOARD=ecpix5"], 'boards "ecpix5" --flash'),
        (
            ["term", "BOARD=ecpix5", "ARGS=--port /dev/ttyUSB1 --kernel m.bin"],
            'boards.terminal "ecpix5" --port /dev/ttyUSB1 --kernel m.bin',
        ),
        (["firmware", "BOARD=ecpix5"], 'boards "ecpix5" --firmware'),
        (["debug", "BOARD=ecpix5"], 'heapwire debug --board "ecpix5"'),
        (
            ["debug", "BOARD=ecpix5", "ELF=m.elf", "ARGS=--cable 1-4"],
            'heapwire debug --board "ecpix5" --elf "m.elf" --cable 1-4',
        ),
    ],
)
def test_make_is_a_front(words, command):
    done = dry_run(*words)
    assert done.returncode == 0, done.stderr
    assert " ".join(done.stdout.splitlines()[-1].split()).endswith(f"-m {command}")
