"""A cluster of narrow words on a memory of wide ones (heapwire_litex/memory_ports.py). The memory behaves like
LiteDRAM: read data come without back-pressure, and write data are taken some cycles after their command, regardless of
`valid`."""

import random
from collections import deque

import pytest
from litedram.common import LiteDRAMNativePort
from migen import Module, passive, run_simulation

from heapwire_litex.core import NATIVE_ADDRESS_BITS
from heapwire_litex.memory_ports import NarrowRead, NarrowWrite

WIDE = 128
WORDS = 64
"""Number of narrow words in the memory."""


class Bench(Module):
    """A memory and its ports. taking: probability that either side is ready in a cycle. resting: probability that the
    cluster pauses after a command."""

    def __init__(self, narrow_bits, seed, taking=1.0, resting=0.0):
        self.bits, self.random, self.taking, self.resting = narrow_bits, random.Random(seed), taking, resting
        self.narrow, self.wide = (
            {mode: LiteDRAMNativePort(mode, NATIVE_ADDRESS_BITS, bits) for mode in ("read", "write")}
            for bits in (narrow_bits, WIDE)
        )
        self.submodules.reads = NarrowRead(self.narrow["read"], self.wide["read"])
        self.submodules.writes = NarrowWrite(self.narrow["write"], self.wide["write"])
        self.memory = [self.random.getrandbits(narrow_bits) for _ in range(WORDS)]
        self.expected = list(self.memory)
        self.wide_reads = 0

    def _lanes(self, row):
        ratio = WIDE // self.bits
        return range(row * ratio, (row + 1) * ratio)

    @passive
    def read_side(self):
        """Takes commands at random times, and answers each a few cycles later, in order."""
        port, coming = self.wide["read"], deque()
        now = ready = 0
        while True:
            if ready and (yield port.cmd.valid):
                row = yield port.cmd.addr
                value = sum(self.memory[word] << (i * self.bits) for i, word in enumerate(self._lanes(row)))
                coming.append((max(now + self.random.randint(2, 9), coming[-1][0] + 1 if coming else 0), value))
                self.wide_reads += 1
            ready = self.random.random() < self.taking
            yield port.cmd.ready.eq(ready)
            due = coming and coming[0][0] <= now
            yield port.rdata.valid.eq(bool(due))
            yield port.rdata.data.eq(coming.popleft()[1] if due else self.random.getrandbits(WIDE))
            now += 1
            yield

    @passive
    def write_side(self):
        port, due = self.wide["write"], deque()
        now = ready = taking = 0
        row = None
        while True:
            if taking:
                data, mask = (yield port.wdata.data), (yield port.wdata.we)
                assert (yield port.wdata.valid), "LiteDRAM takes what is there"
                for i, word in enumerate(self._lanes(row)):
                    for byte in range(self.bits // 8):
                        if mask >> (i * self.bits // 8 + byte) & 1:
                            lane = 0xFF << (8 * byte)
                            self.memory[word] = self.memory[word] & ~lane | (data >> (i * self.bits)) & lane
            if ready and (yield port.cmd.valid):
                due.append((now + self.random.randint(2, 4), (yield port.cmd.addr)))
            ready = self.random.random() < self.taking
            yield port.cmd.ready.eq(ready)
            taking = bool(due) and due[0][0] <= now
            if taking:
                row = due.popleft()[1]
            yield port.wdata.ready.eq(taking)
            now += 1
            yield

    def issue(self, port, address):
        yield port.cmd.addr.eq(address)
        yield port.cmd.valid.eq(1)
        yield
        while not (yield port.cmd.ready):
            yield
        yield port.cmd.valid.eq(0)

    def read_commands(self, addresses):
        for address in addresses:
            yield from self.issue(self.narrow["read"], address)
            while self.random.random() < self.resting:
                yield

    def read_data(self, addresses):
        port = self.narrow["read"]
        for address in addresses:
            while True:
                yield port.rdata.ready.eq(self.random.random() < self.taking)
                yield
                if (yield port.rdata.valid) and (yield port.rdata.ready):
                    break
            assert (yield port.rdata.data) == self.expected[address], hex(address)
        yield port.rdata.ready.eq(0)

    def write_commands(self, writes):
        for address, *_ in writes:
            yield from self.issue(self.narrow["write"], address)
            while self.random.random() < self.resting:
                yield

    def write_data(self, writes):
        port = self.narrow["write"]
        for address, data, mask in writes:
            yield port.wdata.valid.eq(1)
            yield port.wdata.data.eq(data)
            yield port.wdata.we.eq(mask)
            yield
            while not (yield port.wdata.ready):
                yield
        yield port.wdata.valid.eq(0)
        yield


PACES = pytest.mark.parametrize("taking, resting", [(1.0, 0.0), (0.5, 0.4), (0.2, 0.0)])
WIDTHS = pytest.mark.parametrize("narrow_bits", [32, 64])


def wait(cycles):
    for _ in range(cycles):
        yield


@WIDTHS
@PACES
def test_reads_are_those_of_a_port_of_that_width(narrow_bits, taking, resting):
    bench = Bench(narrow_bits, 2018, taking, resting)
    reads = []
    while len(reads) < 300:
        first, count = bench.random.randrange(WORDS), bench.random.choice((1, 2, 4, 16))
        reads += range(first, min(first + count, WORDS))
    run_simulation(bench, [bench.read_side(), bench.read_commands(reads), bench.read_data(reads)])


@WIDTHS
@PACES
def test_writes_change_their_own_bytes_alone(narrow_bits, taking, resting):
    bench = Bench(narrow_bits, 2018, taking, resting)
    writes = [
        (
            bench.random.randrange(WORDS),
            bench.random.getrandbits(narrow_bits),
            bench.random.getrandbits(narrow_bits // 8),
        )
        for _ in range(100)
    ]
    for address, data, mask in writes:
        for byte in range(narrow_bits // 8):
            if mask >> byte & 1:
                lane = 0xFF << (8 * byte)
                bench.expected[address] = bench.expected[address] & ~lane | data & lane
    run_simulation(bench, [bench.write_side(), bench.write_commands(writes), bench.write_data(writes)])
    assert bench.memory == bench.expected


def test_words_that_follow_each_other_share_a_wide_one():
    bench = Bench(32, 1)
    run_simulation(bench, [bench.read_side(), bench.read_commands(range(32)), bench.read_data(range(32))])
    assert bench.wide_reads == 8


@pytest.mark.parametrize("gap", [1, 2, 20])
def test_a_word_behind_a_gap_is_read_anew(gap):
    """The gap may contain a write to that word."""
    bench = Bench(32, 1)

    def apart():
        yield from bench.issue(bench.narrow["read"], 0)
        yield from wait(gap)
        bench.memory[1] = bench.expected[1] = 0x12345678
        yield from bench.issue(bench.narrow["read"], 1)

    run_simulation(bench, [bench.read_side(), apart(), bench.read_data([0, 1])])
    assert bench.wide_reads == 2


@pytest.mark.parametrize("bits", [96, 128, 256])
def test_a_width_that_is_no_part_of_the_ports(bits):
    with pytest.raises(
        ValueError,
        match=f"{bits} bits wide, which is neither twice nor four times the cluster's {32 if bits == 256 else 128}",
    ):
        NarrowRead(LiteDRAMNativePort("read", 28, 32 if bits == 256 else 128), LiteDRAMNativePort("read", 28, bits))
