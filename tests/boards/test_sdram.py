"""The registered SDR PHY beside LiteDRAM's: the same signals at the pins one sys2x cycle later, and the same read data
one system cycle later."""

import random

import pytest
from litedram.phy import HalfRateGENSDRPHY
from litex.build.io import SDROutput, SDRTristate
from migen import Module, Record, Signal, run_simulation
from migen.fhdl.tools import lower_specials

from boards.sdram import RegisteredHalfRateGENSDRPHY

CYCLES = 300
LAYOUT = [("a", 13), ("ba", 2), ("ras_n", 1), ("cas_n", 1), ("we_n", 1), ("cs_n", 1), ("cke", 1), ("dq", 16), ("dm", 2)]


class OutputRegister:
    """Replaces a pin's output register."""

    @staticmethod
    def lower(special):
        module = Module()
        module.sync.sys2x += special.o.eq(special.i)
        return module


class Bench:
    """A PHY with registers instead of pins. The memory drives `data`, and the PHY drives `out` and `enable`."""

    def __init__(self, phy):
        self.pads = Record(LAYOUT)
        self.phy = phy(self.pads, 50e6)
        self.data, self.out, self.enable = Signal(16), Signal(16), Signal(16)
        pins = iter(range(16))
        module = Module()

        def tristate(special):
            pin, lowered = special.bit, Module()
            lowered.sync.sys2x += [
                self.out[pin].eq(special.o),
                self.enable[pin].eq(special.oe),
                special.i.eq(self.data[pin]),
            ]
            return lowered

        module.submodules += self.phy
        fragment = module.get_fragment()
        for special in sorted(
            (each for each in fragment.specials if isinstance(each, SDRTristate)), key=lambda each: each.duid
        ):
            special.bit = next(pins)
        register = type("Pin", (), {"lower": staticmethod(tristate)})
        self.fragment, lowered = lower_specials({SDROutput: OutputRegister, SDRTristate: register}, fragment)
        assert len(lowered) == 16 + 13 + 2 + 3 + 1 + 1 + 2

    def pins(self):
        return [getattr(self.pads, name) for name, _ in LAYOUT if name != "dq"] + [self.out, self.enable]


def run(phy, seed):
    """Returns the pins of each sys2x cycle, and the read data of the phases in each system cycle."""
    bench, draw = Bench(phy), random.Random(seed)
    dfi = bench.phy.dfi
    pins, reads = [], []

    def controller():
        for _ in range(CYCLES):
            for number, phase in enumerate(dfi.phases):
                for name in ("address", "bank", "ras_n", "cas_n", "we_n", "cs_n", "wrdata", "wrdata_mask"):
                    signal = getattr(phase, name)
                    yield signal.eq(draw.getrandbits(len(signal)))
                yield phase.cke.eq(1)
                yield phase.wrdata_en.eq(draw.getrandbits(1) if number == 0 else 0)
                yield phase.rddata_en.eq(draw.getrandbits(1))
            yield
            words = []
            for phase in dfi.phases:
                words.append(((yield phase.rddata), (yield phase.rddata_valid)))
            reads.append(words)

    def memory():
        for cycle in range(2 * CYCLES):
            yield bench.data.eq(cycle)
            yield
            shown = []
            for pin in bench.pins():
                shown.append((yield pin))
            pins.append(shown)

    run_simulation(bench.fragment, {"sys": controller(), "sys2x": memory()}, clocks={"sys": (20, 10), "sys2x": (10, 5)})
    return bench.phy.settings, pins, reads


@pytest.mark.parametrize("seed", range(3))
def test_the_pins_show_what_litedrams_phy_shows_a_cycle_later(seed):
    _, ours, _ = run(RegisteredHalfRateGENSDRPHY, seed)
    _, theirs, _ = run(HalfRateGENSDRPHY, seed)
    start = 10
    assert len({tuple(each) for each in theirs}) > CYCLES
    assert ours[start + 1 :] == theirs[start:-1]


def test_a_read_takes_a_system_cycle_longer():
    ours, theirs = run(RegisteredHalfRateGENSDRPHY, 0), run(HalfRateGENSDRPHY, 0)
    assert ours[0].read_latency == theirs[0].read_latency + 1
    # The memory counts sys2x cycles. It returns the same two words of one system cycle, but the command is a cycle
    # late, and so is its answer.
    for phase in range(2):
        data = [[reads[cycle][phase][0] for cycle in range(20, CYCLES - 1)] for reads in (ours[2], theirs[2])]
        assert data[0] == [word - 1 for word in data[1]]
    assert [[valid for _, valid in each] for each in ours[2][21:]] == [
        [valid for _, valid in each] for each in theirs[2][20:-1]
    ]


def test_an_odd_latency_is_refused():
    with pytest.raises(ValueError, match="CAS latency 3 is odd"):
        RegisteredHalfRateGENSDRPHY(Record(LAYOUT), 50e6, cl=3)
