"""The units' clock on a board that divides it, half of the system's: edges in phase with every second edge of it, but for skew, of which
the crossings bear nearly a period of the system's clock (docs/decisions/0010-half-rate-units.md). The tools cannot derive it, and are told."""
from migen import ClockDomain, Module, Signal

NAME = "unit"


class DividedClock(Module):
    """ECP5: a flip-flop, which nextpnr puts on a global net. Of exactly half the rate, in one phase, and it stops where the system's clock
    stops, which an output of the PLL is not where DDR3 has the system's clock from a divider of its own."""

    def __init__(self, crg, hz):
        self.clock_domains.cd_unit = ClockDomain(NAME, reset_less=True)
        self.cd_unit.clk = Signal(name=f"{NAME}_clk", reset_less=True)
        self.sync += self.cd_unit.clk.eq(~self.cd_unit.clk)


class PllClock(Module):
    """Gowin: the PLL's divided output. The open flow keeps a flip-flop's clock off the global nets."""

    def __init__(self, crg, hz):
        self.clock_domains.cd_unit = ClockDomain(NAME, reset_less=True)
        crg.pll.create_clkout(self.cd_unit, hz / 2, with_reset=False)


def constrain(platform, domain, hz, toolchain):
    """Tells the tools of the clock's frequency; returns the text of an SDC file that nextpnr wants for it, `{clk}` being the
    clock's name, or "" if LiteX's files say it."""
    domain.clk.attr.add("keep")
    if toolchain == "trellis":
        platform.add_platform_command(f'FREQUENCY NET "{{clk}}" {hz / 1e6:g} MHz;', clk=domain.clk)
        return ""
    return f"create_clock -name {NAME} -period {1e9 / hz:.3f} [get_nets {{clk}}]\n"
