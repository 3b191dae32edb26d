"""The cluster's ports on a memory of the SoC's main bus."""

import random

import pytest
from litedram.common import LiteDRAMNativePort
from litex.soc.interconnect import wishbone
from migen import Module, passive, run_simulation

from heapwire_litex.memory_ports import NativeToWishbone

BASE = 0x4000_0000
WORDS = 16


class Memory(Module):
    def __init__(self):
        self.read, self.write = (
            LiteDRAMNativePort(mode=mode, address_width=28, data_width=32) for mode in ("read", "write")
        )
        self.bus = wishbone.Interface(data_width=32, address_width=32, addressing="word")
        self.submodules.bridge = NativeToWishbone([self.read], [self.write], self.bus, BASE)


@passive
def words(bus, contents, faults, chance):
    """Acts as a slave with random delays. Addresses in `faults` end in an error, as addresses without a slave do."""
    while True:
        yield bus.ack.eq(0)
        yield bus.err.eq(0)
        yield
        if not ((yield bus.cyc) and (yield bus.stb)) or chance.random() < 0.5:
            continue
        at = (yield bus.adr) - BASE // 4
        if at in faults:
            yield bus.err.eq(1)
        elif (yield bus.we):
            enabled = yield bus.sel
            mask = sum(0xFF << 8 * lane for lane in range(4) if enabled >> lane & 1)
            contents[at] = contents[at] & ~mask | (yield bus.dat_w) & mask
            yield bus.ack.eq(1)
        else:
            yield bus.dat_r.eq(contents[at])
            yield bus.ack.eq(1)
        yield
        yield bus.ack.eq(0)
        yield bus.err.eq(0)


def command(port, at):
    yield port.cmd.addr.eq(at)
    yield port.cmd.valid.eq(1)
    yield
    while not (yield port.cmd.ready):
        yield
    yield port.cmd.valid.eq(0)


def written(port, at, data, enabled, late):
    """Writes, with the data together with the command or, if `late`, after it."""
    if not late:
        yield from data_of(port, data, enabled)
    yield from command(port, at)
    if late:
        for _ in range(3):
            yield
        yield from data_of(port, data, enabled)
    while not (yield port.wdata.ready):
        yield
    yield port.wdata.valid.eq(0)
    yield


def data_of(port, data, enabled):
    yield port.wdata.data.eq(data)
    yield port.wdata.we.eq(enabled)
    yield port.wdata.valid.eq(1)
    yield


def read(port, at):
    yield from command(port, at)
    while not (yield port.rdata.valid):
        yield
    return (yield port.rdata.data)


@pytest.mark.parametrize("seed", range(4))
def test_reads_and_writes(seed):
    chance = random.Random(seed)
    contents = [chance.getrandbits(32) for _ in range(WORDS)]
    expected = list(contents)
    dut = Memory()

    def cluster():
        for _ in range(100):
            at = chance.randrange(WORDS)
            if chance.random() < 0.5:
                data, enabled = chance.getrandbits(32), chance.randrange(16)
                mask = sum(0xFF << 8 * lane for lane in range(4) if enabled >> lane & 1)
                expected[at] = expected[at] & ~mask | data & mask
                yield from written(dut.write, at, data, enabled, chance.random() < 0.5)
            else:
                assert (yield from read(dut.read, at)) == expected[at]

    slave = words(dut.bus, contents, (), random.Random(seed))
    run_simulation(dut, [cluster(), slave])
    assert contents == expected


def test_an_address_of_nobody_ends():
    dut, contents = Memory(), [0] * WORDS

    def cluster():
        yield from written(dut.write, 3, 1, 0xF, False)
        yield from read(dut.read, 3)
        yield from written(dut.write, 4, 5, 0xF, False)
        assert (yield from read(dut.read, 4)) == 5

    run_simulation(dut, [cluster(), words(dut.bus, contents, {3}, random.Random(1))])
    assert contents[3] == 0
