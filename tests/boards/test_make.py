"""The arguments that make passes to the boards' commands, which look at them before anything is built."""

import pytest

from boards import boards
from tests.common.run import python
from tests.host.test_makefile import dry_run


@pytest.mark.parametrize("module, flags", [("boards", ["--load"]), ("boards.terminal", [])])
@pytest.mark.parametrize("name", ["ulx4", "ulx3s ecpix5", ""])
def test_an_unknown_board_is_refused(module, flags, name):
    done = python(module, name, *flags, "--parse-only")
    assert done.returncode == 1 and f"What to do: BOARD=, one of {', '.join(boards())}" in done.stderr


def test_flags_are_shown_without_a_board():
    done = python("boards", "", "--build", "--help")
    assert done.returncode == 0 and "--seeds" in done.stdout


@pytest.mark.parametrize(
    "flags, text",
    [
        (["--no-uart"], "--no-uart: Heapwire's SoC needs it"),
        (["--cpu-variant", "cereal-x9"], "--cpu-variant: no configuration 'cereal-x9'; there are tiny, default"),
    ],
)
def test_a_wrong_flag_is_refused_before_anything_is_built(flags, text):
    done = python("boards", "ulx3s", "--build", "--parse-only", *flags)
    assert done.returncode == 2 and text in done.stderr


@pytest.mark.parametrize(
    "words, flags, command",
    [
        ("bitstream BOARD=ulx3s", "", 'boards "ulx3s" --build'),
        (
            "bitstream BOARD=ulx3s DEVICE=45F CONFIG=tiny",
            "--seeds 5",
            'boards "ulx3s" --device "45F" --cpu-variant "tiny" --build',
        ),
        ("load BOARD=ecpix5", "--prog openocd --cable 1-4", 'boards "ecpix5" --load'),
        ("flash BOARD=ecpix5", "", 'boards "ecpix5" --flash'),
        ("term BOARD=ecpix5", "--port /dev/ttyUSB1 --kernel m.bin", 'boards.terminal "ecpix5"'),
        ("firmware BOARD=ecpix5", "", 'boards "ecpix5" --firmware'),
        ("debug BOARD=ecpix5", "", 'heapwire debug --board "ecpix5"'),
        ("debug BOARD=ecpix5 ELF=m.elf", "--cable 1-4", 'heapwire debug --board "ecpix5" --elf "m.elf"'),
    ],
)
def test_make_is_a_front(words, flags, command):
    done = dry_run(*words.split(), f"ARGS={flags}")
    assert done.returncode == 0, done.stderr
    assert " ".join(done.stdout.splitlines()[-1].split()).endswith(f"-m {command} {flags}".rstrip())
