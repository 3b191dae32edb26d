"""The memories of litex_sim, elaborated around empty clusters."""

import re

import pytest

from heapwire_litex import configurations
from heapwire_litex.cluster import Request, key
from heapwire_litex.generator import sources
from tests.common import empty_cluster


@pytest.fixture
def verilog(user, tmp_path):
    """Returns a function that elaborates litex_sim with flags and returns the Verilog. Only the requested clusters
    exist."""

    configurations.copy(tmp_path / "clusters")

    def elaborate(requests, *flags):
        for request in requests:
            folder = tmp_path / "clusters" / key(request, sources())
            facts = request.data_width, request.memory_mb, request.debug, request.config
            empty_cluster.write(folder, *facts, ports=1)
        words = "--cpu-type", "heapwire", "--no-compile", "--output-dir", tmp_path / "out"
        user.run("litex_sim", *words, *flags, cwd=tmp_path, HEAPWIRE_CACHE=str(tmp_path / "clusters"))
        return (tmp_path / "out" / "gateware" / "sim.v").read_text()

    return elaborate


def connected(verilog, port):
    cluster = re.search(r"^HeapwireCluster HeapwireCluster\s*\((.*?)^\);", verilog, re.M | re.S)[1]
    return re.search(rf"\.{port}\s*\(([^)]*)\)", cluster)[1]


@pytest.mark.parametrize(
    "flags, request_",
    [
        ((), Request("default", 32, 1)),
        (("--cpu-variant", "cereal_x2"), Request("cereal-x2", 32, 1)),
        (("--cpu-variant", "tiny", "--integrated-main-ram-size", "0x180000"), Request("tiny", 32, 2)),
    ],
    ids=["none", "none, another variant", "integrated"],
)
def test_memory_on_the_main_bus(verilog, flags, request_):
    text = verilog([request_], *flags)
    assert re.search(r"heapwire_memory|over_the_bus", text) and connected(text, "dram_read_0_cmd_ready")


@pytest.mark.parametrize(
    "flags, request_",
    [
        (("--with-sdram",), Request("default", 32, 64)),
        (("--with-sdram", "--sdram-module", "MT41K128M16", "--sdram-data-width", "32"), Request("default", 128, 512)),
        (("--with-sdram", "--sdram-module", "MT41K128M16", "--sdram-data-width", "16"), Request("default", 128, 256)),
        (("--with-sdram", "--sdram-module", "MT41K128M16", "--sdram-data-width", "8"), Request("default", 64, 128)),
    ],
    ids=["SDR", "DDR3, 256 bits", "DDR3, 128 bits", "DDR3, 64 bits"],
)
def test_native_ports(verilog, flags, request_):
    text = verilog([request_], *flags)
    data = connected(text, "dram_write_0_wdata_data")
    assert re.search(rf"\[{request_.data_width - 1}:0\] +{data}\b", text)
    assert "over_the_bus" not in text


def test_a_debugger(verilog):
    requests = [Request("tiny", 32, 64), Request("tiny", 32, 64, debug="tap")]
    text = verilog(requests, "--cpu-variant", "tiny", "--with-sdram", "--with-jtagremote")
    assert connected(text, "jtag_tck") == "jtag_tck" and connected(text, "jtag_tdi") == "jtag_tdi"
