"""Main memory that is not LiteDRAM's: connects the cluster's ports as one master to the SoC's main bus."""

from litex.gen import LiteXModule
from migen import FSM, If, NextState, NextValue, Signal


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
