"""Adapters between a cluster's ports and memory: wider LiteDRAM ports, or, of main memory that is not LiteDRAM's, the
SoC's main bus.

A part with few block RAMs holds a cluster of 32 bits, on a board whose DDR3 moves 128 bits with a command. Each narrow
command then becomes a wide one of its own. Only reads that follow each other through one wide word share a wide read.
Commands stay in order on both sides, so that a write or read of LiteDRAM's can pass only what it might pass without
these adapters.

Wide read data have no back-pressure, so that only as many wide words are requested as `NarrowRead.DEPTH` has room
for."""

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import FSM, Array, Cat, If, Module, Mux, NextState, NextValue, Replicate, Signal, log2_int


def _ratio(narrow, wide):
    ratio = wide.data_width // narrow.data_width
    if wide.data_width % narrow.data_width or ratio not in (2, 4):
        raise ValueError(
            f"the memory's port is {wide.data_width} bits wide, which is neither twice nor four times the cluster's "
            f"{narrow.data_width}"
        )
    return ratio


class NarrowRead(Module):
    """Reads of `narrow` (whose commands the cluster drives) through `wide` (whose commands LiteDRAM takes).

    A command is not delayed; data are delayed by one cycle. A command shares the wide word of the command before it if
    it asks for the next word in it and comes in the next cycle. So the wide word was requested at most three cycles
    before. A read that had to wait for a write comes at least three cycles after LiteDRAM took that write's command
    (`DramReader`). LiteDRAM executes the two, which are of one bank, in the order in which it took them, so that the
    wide word is no older than the write. A larger ratio would not guarantee this order, and is refused."""

    DEPTH = 16
    """Wide words that may be in flight or wait to be taken."""

    def __init__(self, narrow, wide):
        ratio = _ratio(narrow, wide)
        lane_bits = log2_int(ratio)
        lane, row = narrow.cmd.addr[:lane_bits], narrow.cmd.addr[lane_bits:]

        # The word that each command wants, and whether it gets a wide word of its own.
        self.submodules.wanted = wanted = stream.SyncFIFO([("lane", lane_bits), ("own", 1)], self.DEPTH * ratio)
        self.submodules.words = words = stream.SyncFIFO([("data", wide.data_width)], self.DEPTH)

        following = Signal()
        """The command of the cycle before was taken, and this may be the next word of the same wide word."""
        next_addr = Signal.like(narrow.cmd.addr)
        shares = Signal()
        room = Signal(max=self.DEPTH + 1, reset=self.DEPTH)
        takes, frees = Signal(), Signal()
        self.comb += [
            shares.eq(following & (lane != 0) & (narrow.cmd.addr == next_addr)),
            wide.cmd.we.eq(0),
            wide.cmd.addr.eq(row),
            wide.cmd.valid.eq(narrow.cmd.valid & ~shares & wanted.sink.ready & (room != 0)),
            narrow.cmd.ready.eq(wanted.sink.ready & (shares | wide.cmd.ready & (room != 0))),
            wanted.sink.valid.eq(narrow.cmd.valid & narrow.cmd.ready),
            wanted.sink.lane.eq(lane),
            wanted.sink.own.eq(~shares),
            takes.eq(wide.cmd.valid & wide.cmd.ready),
        ]
        self.sync += [
            following.eq(wanted.sink.valid | following & narrow.cmd.valid),
            If(wanted.sink.valid, next_addr.eq(narrow.cmd.addr + 1)),
            room.eq(room - takes + frees),
        ]

        # The current wide word serves until a command with a wide word of its own is at the head.
        held = Signal(wide.data_width)
        data = Signal(wide.data_width)
        lanes = Array(data[i * narrow.data_width : (i + 1) * narrow.data_width] for i in range(ratio))
        self.comb += [
            wide.rdata.ready.eq(1),
            words.sink.valid.eq(wide.rdata.valid),
            words.sink.data.eq(wide.rdata.data),
            data.eq(Mux(wanted.source.own, words.source.data, held)),
            narrow.rdata.data.eq(lanes[wanted.source.lane]),
            narrow.rdata.valid.eq(wanted.source.valid & (~wanted.source.own | words.source.valid)),
            wanted.source.ready.eq(narrow.rdata.valid & narrow.rdata.ready),
            words.source.ready.eq(wanted.source.ready & wanted.source.own),
            frees.eq(words.source.ready),
        ]
        self.sync += If(words.source.ready, held.eq(words.source.data))


class NarrowWrite(Module):
    """Writes of `narrow` through `wide`. Each becomes a wide write with all other bytes masked. Neither commands nor
    data are delayed."""

    DEPTH = 16
    """Writes whose data LiteDRAM has not taken yet."""

    def __init__(self, narrow, wide):
        ratio = _ratio(narrow, wide)
        lane_bits = log2_int(ratio)
        lane, row = narrow.cmd.addr[:lane_bits], narrow.cmd.addr[lane_bits:]
        self.submodules.lanes = lanes = stream.SyncFIFO([("lane", lane_bits)], self.DEPTH)
        mask_bits = len(narrow.wdata.we)
        self.comb += [
            wide.cmd.we.eq(1),
            wide.cmd.addr.eq(row),
            wide.cmd.valid.eq(narrow.cmd.valid & lanes.sink.ready),
            narrow.cmd.ready.eq(wide.cmd.ready & lanes.sink.ready),
            lanes.sink.valid.eq(wide.cmd.valid & wide.cmd.ready),
            lanes.sink.lane.eq(lane),
            wide.wdata.valid.eq(narrow.wdata.valid & lanes.source.valid),
            wide.wdata.data.eq(Replicate(narrow.wdata.data, ratio)),
            wide.wdata.we.eq(
                Cat(*(Replicate(lanes.source.lane == i, mask_bits) & narrow.wdata.we for i in range(ratio)))
            ),
            narrow.wdata.ready.eq(wide.wdata.ready & lanes.source.valid),
            lanes.source.ready.eq(wide.wdata.ready & narrow.wdata.valid),
        ]


class NativeToWishbone(LiteXModule):
    """Executes one access at a time, reads first. An accepted write is done before any later read.

    `reads` and `writes` are native ports as wide as `bus`, a word-addressed Wishbone master. Their addresses count
    words from the byte address `base`. An access that ends in an error is not reported, because the core cannot be
    told; a read returns the bus's data."""

    def __init__(self, reads, writes, bus, base):
        address = Signal(len(bus.adr))
        offset = base // (bus.data_width // 8)
        done = Signal()
        self.comb += done.eq(bus.cyc & bus.stb & (bus.ack | bus.err))
        self.fsm = fsm = FSM(reset_state="IDLE")

        choice = If(0)
        for index, port in enumerate([*reads, *writes]):
            state = f"ACCESS{index}"
            choice = choice.Elif(
                port.cmd.valid, port.cmd.ready.eq(1), NextValue(address, port.cmd.addr + offset), NextState(state)
            )
            if port in writes:
                fsm.act(
                    state,
                    bus.cyc.eq(port.wdata.valid),
                    bus.stb.eq(port.wdata.valid),
                    bus.we.eq(1),
                    bus.adr.eq(address),
                    bus.dat_w.eq(port.wdata.data),
                    bus.sel.eq(port.wdata.we),
                    If(done, port.wdata.ready.eq(1), NextState("IDLE")),
                )
            else:
                fsm.act(
                    state,
                    bus.cyc.eq(1),
                    bus.stb.eq(1),
                    bus.sel.eq(2 ** len(bus.sel) - 1),
                    bus.adr.eq(address),
                    If(done, port.rdata.valid.eq(1), port.rdata.data.eq(bus.dat_r), NextState("IDLE")),
                )
        fsm.act("IDLE", choice)
