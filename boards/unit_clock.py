"""The units' clock on a board that divides the system's clock by two. Its edges are in phase with every second edge of
the system's clock, except for skew; the crossings tolerate nearly a period of the system's clock
(docs/decisions/0010-half-rate-units.md). The tools cannot derive this clock, and need a constraint."""

from migen import ClockDomain, Module, Signal

NAME = "unit"


class DividedClock(Module):
    """ECP5: a flip-flop, whose output nextpnr puts on a global net. Its clock has exactly half the rate, always the
    same phase, and stops when the system's clock stops. An output of the PLL has none of these properties where the
    system's clock comes from a divider of its own, as with DDR3."""

    def __init__(self, crg, hz):
        self.clock_domains.cd_unit = ClockDomain(NAME, reset_less=True)
        self.cd_unit.clk = Signal(name=f"{NAME}_clk", reset_less=True)
        self.sync += self.cd_unit.clk.eq(~self.cd_unit.clk)


class PllClock(Module):
    """Gowin: the PLL's divided output. The open flow does not put a flip-flop's clock on the global nets."""

    def __init__(self, crg, hz):
        self.clock_domains.cd_unit = ClockDomain(NAME, reset_less=True)
        crg.pll.create_clkout(self.cd_unit, hz / 2, with_reset=False)


def constrain(platform, domain, hz, toolchain):
    """Gives the tools the clock's frequency. Returns the text of an SDC file for nextpnr, with `{clk}` for the clock's
    name, or "" if LiteX's files contain the constraint."""
    domain.clk.attr.add("keep")
    if toolchain == "trellis":
        platform.add_platform_command(f'FREQUENCY NET "{{clk}}" {hz / 1e6:g} MHz;', clk=domain.clk)
        return ""
    return f"create_clock -name {NAME} -period {1e9 / hz:.3f} [get_nets {{clk}}]\n"
