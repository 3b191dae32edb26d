"""A board's UART, whose rate the firmware changes: the hardware that LiteX makes for it, and the driver compiled
against that."""

from litex.build.generic_platform import GenericPlatform, Pins, Subsignal
from litex.gen import LiteXModule
from litex.soc.integration import export
from migen import ClockDomain, Signal

from heapwire import simulation
from heapwire_litex.cluster import ClusterDescription
from soc.soc import HeapwireSoC
from tests.common.bare import FLAGS
from tests.common.run import RISCV, checked

CLOCK_HZ = 60_000_000
PINS = [("clk", 0, Pins("A1")), ("serial", 0, Subsignal("tx", Pins("A2")), Subsignal("rx", Pins("A3")))]
PROBE = """
#include <stdio.h>
#include "platform/uart.c"
int main(void)
{
    static const uint32_t rates[] = {115200, 230400, 460800, 921600, 1000000, 1500000, 2000000, 3000000};

    for (unsigned i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        hw_uart_set_rate(rates[i]);
        printf("%u %u %u\\n", rates[i], (unsigned)word, (unsigned)hw_uart_rate());
    }
    printf("%d %d ", hw_uart_rate_possible(6000000), hw_uart_rate_possible(6000001));
    printf("%d %d\\n", hw_uart_rate_possible(1200), hw_uart_rate_possible(0));
}
"""
CSR = """
#pragma once
#include <stdint.h>
#define CSR_UART_PHY_TUNING_WORD_ADDR 1
static uint32_t word = 8246337;
static int uart_rxempty_read(void) { return 1; }
static int uart_rxtx_read(void) { return 0; }
static int uart_txfull_read(void) { return 0; }
static int uart_txempty_read(void) { return 1; }
static void uart_rxtx_write(int byte) { (void)byte; }
static void uart_ev_pending_write(int byte) { (void)byte; }
static uint32_t uart_phy_tuning_word_read(void) { return word; }
static void uart_phy_tuning_word_write(uint32_t value) { word = value; }
"""


class Clock(LiteXModule):
    """A clock without hardware. Nothing here runs."""

    def __init__(self, platform):
        self.rst = Signal()
        self.cd_sys = ClockDomain()
        self.comb += self.cd_sys.clk.eq(platform.request("clk"))


def test_the_soc_of_a_board_has_a_rate_to_change(tmp_path):
    platform = GenericPlatform("board", PINS, name="board")
    soc = HeapwireSoC(platform, CLOCK_HZ, ClusterDescription(simulation.parts().gen))
    soc.crg = Clock(platform)
    soc.finalize()
    header = export.get_csr_header(soc.csr_regions, soc.constants, soc.mem_regions["csr"].origin)
    assert "CSR_UART_PHY_TUNING_WORD_ADDR" in header and "uart_phy_tuning_word_write(" in header
    (tmp_path / "generated").mkdir()
    (tmp_path / "generated" / "csr.h").write_text(header)
    (tmp_path / "generated" / "soc.h").write_text(export.get_soc_header(soc.constants))
    flags = *FLAGS, "-Wall", "-Wextra", "-Werror", f"-I{tmp_path}", "-Isoc/include", "-Ifirmware"
    checked(f"{RISCV}gcc", *flags, "-c", "firmware/platform/uart.c", "-o", tmp_path / "uart.o")


def test_the_tuning_word_is_litexs(tmp_path):
    """The driver computes the word without a division. It is within 1/100,000 of LiteX's."""
    for folder, name, text in (
        ("generated", "csr.h", CSR),
        ("generated", "soc.h", f"#define CONFIG_CLOCK_FREQUENCY {CLOCK_HZ}\n"),
        (".", "probe.c", PROBE),
    ):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / name).write_text(text)
    folders = f"-I{tmp_path}", "-Ifirmware/host", "-Ifirmware"
    checked("cc", "-O1", "-Wall", "-Werror", *folders, tmp_path / "probe.c", "-o", tmp_path / "probe")
    *lines, limits = checked(tmp_path / "probe").splitlines()
    for line in lines:
        rate, word, told = map(int, line.split())
        assert abs(word - rate / CLOCK_HZ * 2**32) <= 1e-5 * word and told == rate
    assert limits == "1 0 1 0"
