"""Simulated boards that are like real ones: what they take over. tests/soc/test_boards.py runs the SoC on them."""

import pytest
from litedram.modules import M12L64322A, MT41K64M16, MT48LC16M16
from litex.build.generic_platform import GenericPlatform

from sim.dram import DramPhy
from sim.like import Like
from tests.common.run import python


def test_every_board_and_part_has_a_name():
    with pytest.raises(ValueError, match=r"no board 'ulx3s-99f' to be like; there are: (.*)") as problem:
        Like.named("ulx3s-99f")
    names = str(problem.value).partition("there are: ")[2].split()
    known = "ulx3s ulx3s-85f ulx3s-25f colorlight_i5 colorlight_i5-i9 orangecrab orangecrab-25f tang_nano_20k"
    assert set(known.split()) < set(names)
    parts = [name for name in names if "-" in name]
    assert len({(like.board.name, like.device) for like in map(Like.named, parts)}) == len(parts)
    assert Like.named("ulx3s") == Like.named("ulx3s-85F") and Like.named("orangecrab") != Like.named("orangecrab-25F")


def test_the_cluster_is_the_boards():
    narrow = Like.named("orangecrab-25f").request()
    assert (narrow.config, narrow.data_width, narrow.memory_mb) == ("tiny", 32, 128)
    assert (narrow.debug, narrow.dram_ports) == ("none", 1)
    wide = Like.named("orangecrab").request()
    assert (wide.config, wide.data_width, wide.debug) == ("messages", 128, "tap")


def test_so_are_clock_chip_and_latencies():
    """The memory needs no training."""
    memory = Like.named("orangecrab").memory()
    phy = memory.settings
    assert memory.clock_hz == 48_000_000 and isinstance(memory.module, MT41K64M16)
    assert (phy.nphases, phy.databits, phy.read_latency, phy.write_latency) == (2, 16, 13, 3) and not phy.read_leveling
    twice = Like.named("ulx3s").memory()
    assert isinstance(twice.module, MT48LC16M16) and twice.clock_hz == 50_000_000
    phy = twice.settings
    assert (phy.nphases, phy.databits, phy.read_latency, phy.write_latency) == (2, 16, 3, 0)
    sdram = Like.named("colorlight_i5").memory()
    assert isinstance(sdram.module, M12L64322A)
    assert (sdram.settings.nphases, sdram.settings.read_latency, sdram.settings.write_latency) == (1, 3, 0)


def test_the_command_line():
    assert python("sim.like", "tang_nano_20k").stdout.split() == Like.named("tang_nano_20k").request().arguments()
    for words in ((), ("nosuch",), ("ulx3s", "ecpix5")):
        wrong = python("sim.like", *words)
        assert wrong.returncode == 1 and wrong.stderr.startswith("sim.like: no board '")
        assert "Traceback" not in wrong.stderr


@pytest.mark.parametrize("latency", [{"read_latency": 1}, {"read_latency": 16}, {"write_latency": 16}])
def test_a_latency_that_the_model_does_not_have_is_told(latency):
    memory = Like.named("orangecrab").memory()
    vars(memory.settings).update(latency)
    with pytest.raises(ValueError, match="dram_model.v has a read latency of 2 to 15"):
        DramPhy(GenericPlatform("none", []), memory)
