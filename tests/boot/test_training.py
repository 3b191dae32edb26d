"""LiteX's training, as the boot ROM compiles it, on a model of the ECP5's DDR3 PHY."""

import pytest

from soc import boot
from tests.boot import board_headers
from tests.boot.conftest import ROOT
from tests.common.run import checked, run


@pytest.fixture(scope="module")
def phy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("phy")
    include = board_headers.write(board_headers.DDR3, folder)
    variables = f"INCLUDE={include}", f"OUT={folder}", f"LITEX={boot.LITEX}"
    checked("make", "--no-print-directory", "-s", "-C", ROOT / "tests" / "boot" / "training", *variables)
    return folder / "phy"


def train(phy, *windows):
    """Returns bitslip and delay of each module, the output, and the final owner of the memory."""
    result = run(phy, *(number for window in windows for number in window))
    assert result.returncode == 0, result.stderr
    *numbers, owner = result.stderr.split()
    return list(zip(map(int, numbers[::2]), map(int, numbers[1::2]))), result.stdout, owner


@pytest.mark.parametrize(
    "windows", [((0, 0, 7), (3, 0, 7)), ((1, 2, 6), (2, 0, 4)), ((3, 3, 7), (3, 1, 4)), ((2, 0, 2), (0, 5, 7))]
)
def test_each_byte_finds_the_middle_of_its_window(phy, windows):
    found, said, owner = train(phy, *windows)
    assert owner == "controller"
    for (slip, first, last), (at_slip, at_delay) in zip(windows, found):
        assert at_slip == slip and abs(at_delay - (first + last) / 2) <= 1
    assert [line for line in said.splitlines() if "best: m0, b%02d delays: " % windows[0][0] in line]
    assert said.startswith("Initializing SDRAM @0x40000000...\n")


def test_a_byte_that_never_reads_well_is_left_to_the_memory_test(phy):
    found, said, owner = train(phy, (1, 2, 6), (0, 9, 9))
    assert found[0] == (1, 4) and owner == "controller"
    assert "best: m1, b00 delays: -\n" in said
