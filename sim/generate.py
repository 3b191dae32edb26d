"""Generates the simulated SoC: headers, boot ROM, Verilog, summary.

    python -m sim.generate --cluster build/gen/default-128 --output build/soc/default-128

Writes into the output folder: include/generated/*.h, boot/boot.bin,
heapwire_soc.v (only when it changes) with its heapwire_soc_*.init memory
images, cpu.v if the CPU is LiteX's own (`--stock`), soc.json (always, last).
"""

import argparse
import json
import logging
import sys
from pathlib import Path

from litex.gen.fhdl import verilog

from heapwire_litex.cluster import ClusterDescription
from sim.like import Like
from sim.soc import SimSoC, StockSoC
from soc import boot, export
from soc.soc import MemorySettings

NAME = "heapwire_soc"


def generate(cluster, output, settings, memory=None, kind=SimSoC, ethernet=False):
    output.mkdir(parents=True, exist_ok=True)
    soc = kind(ClusterDescription(cluster), settings, memory, ethernet)
    soc.finalize()
    include = output / "include"
    export.headers(soc, include)
    soc.init_rom("rom", boot.build(output / "boot", include), auto_size=False)
    result = verilog.convert(soc, platform=soc.platform, name=NAME, regular_comb=False)
    for name, content in result.data_files.items():
        export.write_if_changed(output / name, content)
    export.write_if_changed(output / f"{NAME}.v", export.without_dates(result.main_source))
    if kind is StockSoC:
        export.write_if_changed(output / "cpu.v", soc.cpu_verilog())
    (output / "soc.json").write_text(json.dumps(export.summary(soc), indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cluster", type=Path, required=True, help="folder of HeapwireCluster.v and heapwire.json")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--memory-settings", default="", help="LiteDRAM: read_time=N,write_time=N,cmd_buffer_depth=N")
    parser.add_argument("--like", metavar="BOARD[-PART]", help="the memory and the clock of a real board")
    parser.add_argument(
        "--stock", action="store_true", help="LiteX's own CPU and L2 in the place of the cluster; wants --like"
    )
    parser.add_argument("--with-ethernet", action="store_true", help="LiteEth's MAC, behind a PHY of the harness")
    parser.add_argument("--verbose", action="store_true", help="LiteX's log")
    arguments = parser.parse_args()
    if not arguments.verbose:
        logging.disable(logging.WARNING)
    if arguments.stock and not arguments.like:
        parser.error("--stock: name the board with --like")
    try:
        memory = Like.named(arguments.like).memory() if arguments.like else None
        generate(
            arguments.cluster,
            arguments.output.resolve(),
            MemorySettings.parse(arguments.memory_settings),
            memory,
            StockSoC if arguments.stock else SimSoC,
            arguments.with_ethernet,
        )
    except (ValueError, FileNotFoundError) as error:
        sys.exit(f"sim.generate: {error}")


if __name__ == "__main__":
    main()
