"""The common part of the boards' LiteX target scripts: the SoC on a board, the flags, and the actions of --build,
--load and --flash."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from pathlib import Path

from litex.soc.integration.builder import Builder  # first: it and the parser import each other

# isort: split
from litex.build.generic_platform import IOStandard, Pins, Subsignal
from litex.build.parser import LiteXArgumentParser
from litex.soc.cores.uart import UARTPHY

from base.errors import HeapwireError
from base.repository import ROOT
from base.steps import Say
from boards import cluster, firmware, flow, program, unit_clock
from boards.board import Board
from heapwire_litex.configurations import base_of
from soc import boot, export
from soc.soc import BUS_TIMEOUT, HeapwireSoC

LINK_RATE = 1_000_000
"""Bits a second of the second UART, until software changes the rate."""
PASSED_ON = (
    "uart_name",
    "uart_baudrate",
    "uart_fifo_depth",
    "timer_uptime",
    "with_jtagbone",
    "jtagbone_chain",
    "with_uartbone",
    "with_watchdog",
    "watchdog_width",
    "watchdog_reset_delay",
)
"""LiteX's SoC flags that have effect here. The SoC of Heapwire decides about the others."""
OTHERS_HERE = ("cpu_variant", "integrated_rom_size", "integrated_sram_size")
ONLY_WITH = {
    "jtagbone_chain": "with_jtagbone",
    "watchdog_width": "with_watchdog",
    "watchdog_reset_delay": "with_watchdog",
}
NO_BIOS = "would have no effect: in the place of LiteX's BIOS is Heapwire's boot ROM (docs/reference/boot.md)"
OWN_HEADERS = "would have no effect: what programs want to know of the SoC is in --include-dir and soc.json"
NO_EFFECT = {
    "bios_lto": NO_BIOS,
    "bios_format": NO_BIOS,
    "bios_console": NO_BIOS,
    "software_dir": NO_BIOS,
    "generated_dir": OWN_HEADERS,
    "memory_x": OWN_HEADERS,
}
"""LiteX's builder flags that nothing here uses, with the reasons."""


class BoardSoC(HeapwireSoC):
    """The SoC on a board. sdc: constraints for nextpnr beside those that LiteX writes."""

    def __init__(self, board, part, description, clock_hz, toolchain, link=False, ethernet=False, **kwargs):
        platform = board.platform(part, toolchain)
        self.crg = board.clock(platform, clock_hz)
        HeapwireSoC.__init__(self, platform, clock_hz, description, **kwargs)
        if link:
            tx, rx = board.link
            platform.add_extension(
                [("link", 0, Subsignal("tx", Pins(tx)), Subsignal("rx", Pins(rx)), IOStandard("LVCMOS33"))]
            )
            self.add_link(UARTPHY(platform.request("link"), clock_hz, LINK_RATE, with_dynamic_baudrate=True))
        if ethernet:
            self.add_mac(board.ethernet(platform))
        if description.debug == "ecp5":
            self.cpu.add_jtagg()
        self.sdc = ""
        if description.unit_clock_divider > 1:
            self.unit_clock = board.unit_clock(self.crg, clock_hz)
            self.sdc = unit_clock.constrain(
                platform, self.unit_clock.cd_unit, clock_hz / description.unit_clock_divider, board.toolchain
            )
        phy, module = board.memory(platform, clock_hz)
        if hasattr(phy, "init"):
            self.comb += [self.crg.stop.eq(phy.init.stop), self.crg.reset.eq(phy.init.reset)]
        self.add_memory(phy, module)

    @property
    def in_phase(self) -> tuple[float, ...]:
        """Hz of the PLL's outputs that are multiples of the system's clock and in phase with it. These are the outputs
        of the memory's PHY. (The clock `init`, which starts up DDR3, is a third or a half of some of them; signals to
        and from it go through synchronizers.)"""
        outputs = {(frequency, phase) for _, frequency, phase, *_ in self.crg.pll.clkouts.values()}
        # LiteX rounds one of the two to whole Hz
        times = {frequency: frequency / self.sys_clk_freq for frequency, phase in outputs if phase == 0}
        return tuple(
            sorted(frequency for frequency, ratio in times.items() if ratio > 1.5 and abs(ratio - round(ratio)) < 1e-3)
        )


class BoardBuilder(Builder):
    """LiteX's builder, with Heapwire's boot ROM instead of LiteX's BIOS, and `boards.flow` instead of its build
    script."""

    def __init__(self, soc, job, say, with_boot=True, **kwargs):
        output = Path(kwargs["output_dir"])
        Builder.__init__(
            self, soc, compile_software=False, **{**kwargs, "include_dir": kwargs["include_dir"] or output / "include"}
        )
        self.job, self.say, self.with_boot = job, say, with_boot
        self.result = ""
        soc.platform.toolchain.run_script = self._run_script
        if soc.sdc:
            self.build_script = soc.platform.toolchain.build_script
            soc.platform.toolchain.build_script = self._build_script

    def _generate_includes(self, with_bios=True):
        include = Path(self.include_dir)
        export.headers(self.soc, include)
        if self.with_boot:
            self.soc.init_rom("rom", boot.build(Path(self.output_dir) / "boot", include), auto_size=False)
        (Path(self.output_dir) / "soc.json").write_text(json.dumps(export.summary(self.soc), indent=1) + "\n")

    def _prepare_rom_software(self):
        pass  # it would make the folders of LiteX's BIOS

    def _build_script(self):
        clock = self.soc.platform.toolchain._vns.get_name(self.soc.unit_clock.cd_unit.clk)
        export.write_if_changed(Path(f"{self.job.name}.sdc"), self.soc.sdc.format(clk=clock))
        return self.build_script()

    def _run_script(self, script):
        self.result = flow.build(self.job, Path(script).read_text(), self.say)


def _frequency(text: str) -> float:
    hertz = float(text)
    if hertz < 1e6:
        raise argparse.ArgumentTypeError(f"{text} Hz: give the frequency in Hz, e.g. 50e6")
    return hertz


def parser(board: Board) -> LiteXArgumentParser:
    """Returns the parser of LiteX's flags and ours. Like all of LiteX's it reads sys.argv."""
    open_tools = type("Platform", (board.platform_class,), {"_supported_toolchains": [board.toolchain]})
    result = LiteXArgumentParser(platform=open_tools)
    result.prog, result.usage, result.description = (
        f"boards {board.name}",
        f"python -m boards {board.name} [flag]...",
        f"Heapwire on {board.title}.",
    )
    add = result.add_target_argument
    add("--with-link", action="store_true", help="A second UART, to another machine (docs/reference/skyway.md).")
    add("--with-ethernet", action="store_true", help="LiteEth's MAC (docs/howto/rpc.md).")
    add("--flash", action="store_true", help="Write the bitstream into the board's flash.")
    add("--firmware", action="store_true", help="Compile the programs for the board's SoC, into build/firmware.")
    add("--sys-clk-freq", type=_frequency, help="System clock frequency (default: the part's).")
    add("--device", choices=list(board.variants), default=board.default, help="The part on the board.")
    add("--cluster", type=Path, help="Folder of a generated cluster (default: generated into build/gen).")
    add("--seeds", type=int, default=3, help="Seeds of place and route to try until the timing is met.")
    add("--prog", choices=program.PROGRAMMERS, default=program.PROGRAMMERS[0], help="What loads and flashes.")
    add("--cable", help="The cable, of several: its serial number, BUS:DEVICE or place (1-4.2).")
    add("--parse-only", action="store_true", help="Only look at these flags.")
    result.set_defaults(
        cpu_type="heapwire",
        integrated_rom_size=board.rom_bytes,
        integrated_sram_size=board.sram_bytes,
        bus_timeout=BUS_TIMEOUT,
    )
    return result


def _given(flags: LiteXArgumentParser) -> dict:
    """Returns the flags that were given, even those given with their default value: their users expect an effect."""
    absent = object()
    parsed = argparse.ArgumentParser.parse_args(
        flags, namespace=argparse.Namespace(**dict.fromkeys((action.dest for action in flags._actions), absent))
    )
    return {name: value for name, value in vars(parsed).items() if value is not absent}


def soc_arguments(flags: LiteXArgumentParser, arguments: argparse.Namespace) -> dict:
    """Returns the SoC's arguments from LiteX's flags. Refuses a flag that would have no effect."""

    def refuse(name, why):
        flags.error(f"--{name.replace('_', '-')}: {why}")

    values = flags.soc_argdict
    for name, value in _given(flags).items():
        if name in ("no_ctrl", "no_uart", "no_timer"):
            refuse(name, "Heapwire's SoC needs it")
        if (
            name in values
            and name not in (*PASSED_ON, *OTHERS_HERE)
            and (name, value) != ("cpu_type", "heapwire")
            or name == "no_ident_version"
        ):
            refuse(name, "Heapwire's SoC decides about this (soc/soc.py)")
        if name in NO_EFFECT:
            refuse(name, NO_EFFECT[name])
        if name in ONLY_WITH and not getattr(arguments, ONLY_WITH[name]):
            refuse(name, f"would have no effect without --{ONLY_WITH[name].replace('_', '-')}")
        if name == "build_backend" and value != "litex":
            refuse(name, "the steps are those of boards/flow.py")
    return {name: values[name] for name in PASSED_ON if name in values} | {
        "rom_bytes": arguments.integrated_rom_size,
        "sram_bytes": arguments.integrated_sram_size,
    }


def say(text: str) -> None:
    print(f"board: {text}", flush=True)


def run(board: Board, say: Say = say) -> None:
    """Does what the flags in sys.argv say. Raises HeapwireError."""
    flags = parser(board)
    arguments = flags.parse_args()
    config = (
        arguments.cpu_variant
        if arguments.cpu_variant not in (None, "standard")
        else board.variants[arguments.device].config
    )
    if arguments.sys_clk_freq is None:
        arguments.sys_clk_freq = board.clock_hz
    try:
        base_of(config)
    except ValueError as error:
        flags.error(f"--cpu-variant: {error}")
    except RuntimeError as error:
        raise HeapwireError(str(error)) from error
    if arguments.with_link and not board.link:
        flags.error(f"--with-link: {board.title} has no pins to spare")
    if arguments.with_ethernet and not board.ethernet:
        flags.error(f"--with-ethernet: {board.title} has none")
    if arguments.seeds < 1:
        flags.error("--seeds: at least 1")
    builds = not (arguments.load or arguments.flash) or arguments.build or arguments.firmware
    soc_flags = soc_arguments(flags, arguments) if builds else {}
    if arguments.parse_only:
        return
    name = cluster.name(board, arguments.device, config)
    output = Path(arguments.output_dir or ROOT / "build" / "boards" / name).resolve()
    gateware = Path(arguments.gateware_dir or output / "gateware").resolve()
    if builds:
        built = build(board, flags, soc_flags, arguments, config, name, output, gateware, say)
        if arguments.firmware:
            firmware.build(built.description.directory, output, name, say)
    bitstream = gateware / f"{board.name}{board.bitstream}"
    if arguments.load:
        program.load(board, bitstream, arguments.prog, arguments.cable, say)
    if arguments.flash:
        program.flash(board, bitstream, arguments.prog, arguments.cable, say)


def build(board, flags, soc_flags, arguments, config, name, output, gateware, say) -> BoardSoC:
    """Elaborates the SoC. --build writes and builds it, --firmware writes it."""
    if arguments.cluster:
        description = cluster.describe(board, arguments.device, arguments.cluster)
        config = description.config
    else:
        description = cluster.generate(
            board, arguments.device, config, cluster.folder(board, arguments.device, config), say
        )
    if arguments.log_level == "info":
        logging.disable(logging.INFO)  # LiteX's log is of interest only with --log-level=debug
    try:
        soc = BoardSoC(
            board,
            board.variants[arguments.device].part,
            description,
            arguments.sys_clk_freq,
            arguments.toolchain,
            arguments.with_link,
            arguments.with_ethernet,
            **soc_flags,
        )
        nextpnr = (
            ("--placer", board.variants[arguments.device].placer)
            + board.nextpnr_options(arguments.sys_clk_freq)
            + (("--sdc", f"{board.name}.sdc") if soc.sdc else ())
        )
        job = flow.Job(
            board.name,
            f"{name} ({config})",
            gateware,
            arguments.sys_clk_freq,
            nextpnr,
            arguments.seeds,
            arguments.sys_clk_freq / description.unit_clock_divider,
            soc.in_phase,
            description.directory,
        )
        options = flags.builder_argdict | {"output_dir": output, "gateware_dir": gateware}
        builder = BoardBuilder(soc, job, say, with_boot=options.pop("compile_software"), **options)
        if arguments.build or arguments.firmware:
            output.mkdir(parents=True, exist_ok=True)
            builder.compile_gateware &= arguments.build
            builder.build(build_name=board.name, **flags.toolchain_argdict | {"nowidelut": True, "flow3": True})
            if builder.result:
                say(builder.result)
        return soc
    except ValueError as error:
        raise HeapwireError(f"{board.name}: {error}") from error
    finally:
        logging.disable(logging.NOTSET)


def main(board: Board) -> None:
    """Runs a board's target script."""
    try:
        run(board)
    except HeapwireError as error:
        sys.exit(f"board: {error}")
    except KeyboardInterrupt:
        sys.exit("board: interrupted; what was finished is kept")
