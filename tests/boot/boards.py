"""Two boards' headers, without synthesis: the Heapwire SoC over an SDR and a DDR3 PHY, as LiteX's own targets have them."""
import json

from litedram.modules import MT41K256M16, MT48LC16M16
from litedram.phy import ECP5DDRPHY, GENSDRPHY
from litex_boards.platforms import lambdaconcept_ecpix5, radiona_ulx3s
from litex.gen import LiteXModule
from migen import ClockDomain, Signal

from soc import export
from soc.cpu import ClusterDescription
from soc.soc import HeapwireSoC

BASE = 0x4000_0000


def cluster(folder, data_width, megabytes):
    """What a cluster of these numbers would be described by; its Verilog is never read."""
    folder.mkdir(parents=True)
    (folder / "HeapwireCluster.v").touch()
    facts = {"config": "default", "dataWidth": data_width, "memoryBase": BASE, "memoryBytes": megabytes << 20,
             "dram": {"readPorts": 1, "writePorts": 1}, "debug": "none", "units": {"copy": 1}}
    (folder / "heapwire.json").write_text(json.dumps({"cluster": facts}))
    return ClusterDescription(folder)


class Clock(LiteXModule):
    """The clock domains by name: what makes them is nothing to software."""

    def __init__(self):
        self.rst = Signal()
        self.cd_sys, self.cd_sys2x, self.cd_init = ClockDomain("sys"), ClockDomain("sys2x"), ClockDomain("init")


def ulx3s(folder, **options):
    clock_hz = 50_000_000
    platform = radiona_ulx3s.Platform(device="LFE5U-85F")
    soc = HeapwireSoC(platform, clock_hz, cluster(folder / "cluster", 16, 32), **options)
    soc.crg = Clock()
    soc.add_memory(GENSDRPHY(platform.request("sdram"), clock_hz), MT48LC16M16(clock_hz, "1:1"))
    return soc


def ecpix5(folder, **options):
    clock_hz = 75_000_000
    platform = lambdaconcept_ecpix5.Platform(device="85F")
    soc = HeapwireSoC(platform, clock_hz, cluster(folder / "cluster", 128, 512), **options)
    soc.crg = Clock()
    phy = ECP5DDRPHY(platform.request("ddram"), sys_clk_freq=clock_hz)
    soc.add_memory(phy, MT41K256M16(clock_hz, "1:2"))
    return soc


def headers(soc, folder):
    soc.finalize()
    export.headers(soc, folder)
    return folder
