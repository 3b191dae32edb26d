"""LiteX's own CPU on a simulated board (sim/soc.py): its parts. `make bench LIKE=ulx3s+stock SUITE=core` runs
programs on it."""

from types import SimpleNamespace

import pytest

from sim.like import Like
from sim.soc import StockSoC
from soc import export
from soc.soc import MemorySettings
from tests.common.run import python


@pytest.fixture(scope="module")
def soc():
    board = Like.named("colorlight_i5").board
    memory = {"memory_base": 0x4000_0000, "memory_bytes": board.memory_mb << 20, "data_width": 32, "added_latency": 0}
    units = {"config": "tiny", "debug": "tap", "unit_clocks": 2, "unit_clock_divider": 2}
    description = SimpleNamespace(**memory, **units)
    soc = StockSoC(description, MemorySettings(), Like.named("colorlight_i5").memory())
    soc.finalize()
    return soc


def test_the_cpu_is_that_of_litex(soc):
    assert (soc.cpu.name, soc.cpu.variant) == ("vexriscv", "full")
    verilog = soc.cpu_verilog()
    assert "module VexRiscv (" in verilog and "module HeapwireCluster" not in verilog
    # mcycle and minstret, which time programs
    assert "execute_CsrPlugin_csr_2816" in verilog and "execute_CsrPlugin_csr_2818" in verilog


def test_what_is_said_of_it_is_not_the_cluster_s(soc):
    facts = export.summary(soc)
    assert [facts[name] for name in ("config", "debug", "unitClocks", "unitClockDivider")] == ["stock", "none", 1, 1]


def test_it_has_an_l2_and_the_map_of_the_others(soc):
    assert soc.constants["CONFIG_L2_SIZE"] == 8192
    origins = {"rom": 0, "sram": 0x1000_0000, "main_ram": 0x4000_0000, "csr": 0xF000_0000}
    assert {name: soc.mem_regions[name].origin for name in origins} == origins


def test_it_is_of_a_board(tmp_path):
    done = python("sim.generate", "--cluster", tmp_path, "--output", tmp_path, "--stock")
    assert done.returncode == 2 and done.stderr.endswith("--stock: name the board with --like\n")
