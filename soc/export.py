"""What the SoC hands to software: C headers, linker regions, a JSON summary.

`headers` may run as soon as the SoC is finalized, so that the boot ROM can be
compiled against them before the Verilog, which contains it, is written.
"""
import json
from dataclasses import asdict

from litedram.init import get_sdram_phy_c_header
from litex.soc.integration import export


def headers(soc, include):
    """Writes `include`/generated/{csr,mem,soc,sdram_phy}.h and regions.ld."""
    generated = include / "generated"
    generated.mkdir(parents=True, exist_ok=True)
    settings = soc.sdram.controller.settings
    files = {
        "csr.h": export.get_csr_header(soc.csr_regions, soc.constants, soc.mem_regions["csr"].origin),
        "mem.h": export.get_mem_header(soc.mem_regions),
        "soc.h": export.get_soc_header(soc.constants),
        "sdram_phy.h": get_sdram_phy_c_header(settings.phy, settings.timing, settings.geom),
        "regions.ld": export.get_linker_regions(soc.mem_regions),
    }
    for name, text in files.items():
        write_if_changed(generated / name, text)


def summary(soc):
    """The facts a runner needs: memory map, CSR addresses, settings, interrupts."""
    return {
        "config": soc.description.config,
        "dataWidth": soc.description.data_width,
        "debug": soc.description.debug,
        "clockHz": int(soc.sys_clk_freq),
        "memory": {"base": soc.description.memory_base, "bytes": soc.description.memory_bytes},
        "memorySettings": asdict(soc.memory_settings),
        "regions": {name: {"base": region.origin, "bytes": region.size} for name, region in soc.mem_regions.items()},
        "interrupts": dict(soc.irq.locs),
        "csr": json.loads(export.get_csr_json(soc.csr_regions, soc.constants, soc.mem_regions))["csr_registers"],
    }


def write_if_changed(path, text):
    """Leaves the file's time alone when its content is the same."""
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)
