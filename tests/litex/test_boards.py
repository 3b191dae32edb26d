"""The unchanged targets of litex_boards with the CPU, around empty clusters. The clusters come from the cache, where a
build looks for them."""

import re

import pytest

from heapwire_litex import configurations
from heapwire_litex.cluster import Request, key
from heapwire_litex.generator import sources
from synth.target import PLACER
from tests.common import empty_cluster

ULX3S = "radiona_ulx3s"
#: Target, flags of the target, MB of main memory, bits of the cluster's ports, bits of LiteDRAM's port.
BOARDS = [
    (ULX3S, (), 32, 32, 16),
    (ULX3S, ("--sdram-rate", "1:2"), 32, 32, 32),
    ("colorlight_i5", (), 8, 32, 32),
    ("lambdaconcept_ecpix5", (), 512, 128, 128),
    ("gsd_orangecrab", (), 128, 128, 128),
    ("sipeed_tang_nano_20k", (), 8, 32, 32),
]
#: The interface of the core that LiteX puts behind OrangeCrab's USB. The core itself is in no package registry.
USB = {
    "__init__.py": "",
    "usbcore/__init__.py": "",
    "usbcore/cpu/__init__.py": "",
    "usbcore/io.py": "class IoBuf:\n    def __init__(self, *pins): pass\n",
    "usbcore/cpu/cdc_eptri.py": """from litex.soc.cores.uart import UART
class CDCUsb(UART):
    def __init__(self, buffer): UART.__init__(self)
""",
}


@pytest.fixture(scope="module")
def clusters(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clusters")
    configurations.copy(folder)
    for megabytes, width in {(megabytes, width) for _, _, megabytes, width, _ in BOARDS}:
        empty_cluster.write(folder / key(Request("tiny", width, megabytes), sources()), width, megabytes, ports=1)
    return folder


@pytest.fixture(scope="module")
def usb(tmp_path_factory):
    folder = tmp_path_factory.mktemp("usb")
    for name, text in USB.items():
        (folder / "valentyusb" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "valentyusb" / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    "name, flags, megabytes, width, dram_width",
    BOARDS,
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
def test_a_target_elaborates(name, flags, megabytes, width, dram_width, user, clusters, usb, tmp_path):
    words = (
        "--cpu-type",
        "heapwire",
        "--cpu-variant",
        "tiny",
        *flags,
        "--build",
        "--no-compile",
        "--output-dir",
        tmp_path,
    )
    places = {"cwd": tmp_path, "HEAPWIRE_CACHE": str(clusters), "PYTHONPATH": str(usb)}
    user.run("python", "-m", f"litex_boards.targets.{name}", *words, **places)
    script = "".join(file.read_text() for file in (tmp_path / "gateware").glob("build_*.sh"))
    assert script.count(f"--placer {PLACER}") == ("nextpnr-ecp5" in script)
    (file,) = (tmp_path / "gateware").glob("*.v")
    verilog = file.read_text()
    cluster = re.search(r"^HeapwireCluster HeapwireCluster\s*\((.*?)^\);", verilog, re.M | re.S)[1]
    data = re.search(r"\.dram_write_0_wdata_data\s*\((\w+)\)", cluster)[1]
    assert re.search(rf"\[{width - 1}:0\] +{data}\b", verilog), f"a port of {width} bits"
    assert re.search(r"\.unit_clk\s*\(\{1\{sys_clk\}\}\)", cluster)
    assert width == dram_width or re.search(r"^(?!//).*converter", re.sub(r"/\*.*?\*/", "", verilog, flags=re.S), re.M)
    regions = (tmp_path / "software" / "include" / "generated" / "regions.ld").read_text()
    assert f"main_ram : ORIGIN = 0x40000000, LENGTH = 0x{megabytes << 20:08x}" in regions
