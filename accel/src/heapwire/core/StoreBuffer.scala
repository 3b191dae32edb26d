package heapwire.core

import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** One store of the core: bytes of an aligned 32-bit word. */
case class Store() extends Bundle {
  val address = UInt(32 bits)
  val data = Bits(32 bits)
  val mask = Bits(4 bits)
}

object StoreBuffer {
  /** Cycles without a store after which the open block is written. */
  val Patience = 16
}

/** Gathers the core's stores into blocks and writes each block with one Put.
  *
  *  - Consecutive stores to one block merge in the newest slot, which is closed by a store to
  *    another block, by `flush`, when all its bytes are written, or after some idle cycles.
  *  - A closed slot is sent in order: one memory word if it touches only one, else the
  *    whole block with a byte mask (PUT_FULL if that is full). Its source is the slot.
  *  - At most one Put per block is under way, since the shared cache may reorder two.
  *  - `conflict` tells whether a slot holds (or is writing) the block of `probe`.
  *
  * The data lies in a small asynchronous-read memory, the masks in registers.
  */
case class StoreBuffer(p: MemoryParameter, node: NodeParameters, slots: Int = 4) extends Component {
  private val blockLog = log2Up(p.blockBytes)
  private val wordLog = log2Up(p.wordBytes)
  private val slotWidth = log2Up(slots)
  private val words = p.wordsPerBlock
  require(isPow2(slots) && slots >= 2, s"slots must be a power of two of at least 2, not $slots")

  val io = new Bundle {
    val store = slave(Stream(Store()))
    val a = master(Stream(ChannelA(node)))
    val acknowledged = slave(Flow(UInt(slotWidth bits)))
    val flush = in Bool ()
    val probe = in UInt (32 bits)
    val conflict = out Bool ()
    val empty = out Bool ()
  }

  val used, closed, sent = RegInit(B(0, slots bits))
  val address = Vec.fill(slots)(Reg(UInt(32 - blockLog bits)))
  val mask = Vec.fill(slots)(Reg(Bits(p.blockBytes bits)))
  val data = Mem(Bits(p.dataWidth bits), slots * words)

  val fill = new Area {
    val newest = RegInit(U(0, slotWidth bits))
    val next = newest + 1
    val block = io.store.address >> blockLog
    val open = used(newest) && !closed(newest)
    val hit = open && address(newest) === block
    val slot = hit ? newest | next
    io.store.ready := hit || !used(next)

    val bytes = io.store.mask << (io.store.address(blockLog - 1 downto 2) @@ U"00")
    data.write(
      address = slot @@ io.store.address(blockLog - 1 downto wordLog),
      data = B(List.fill(p.dataWidth / 32)(io.store.data)),
      enable = io.store.fire,
      mask = (if (wordLog > 2) (io.store.mask << (io.store.address(wordLog - 1 downto 2) @@ U"00")).resize(p.wordBytes) else io.store.mask)
    )

    val patience = Reg(UInt(log2Up(StoreBuffer.Patience + 1) bits))
    when(patience =/= 0) { patience := patience - 1 }
    when(open && (io.flush || patience === 0 || mask(newest).andR)) { closed(newest) := True }
    when(io.store.fire) {
      patience := StoreBuffer.Patience
      when(hit) {
        mask(newest) := mask(newest) | bytes.resized
      } otherwise {
        closed(newest) := True
        newest := next
        used(next) := True
        closed(next) := False
        sent(next) := False
        address(next) := block
        mask(next) := bytes.resized
      }
    }
  }

  val send = new Area {
    /** The next slot to be sent: slots are sent in the order they were opened. */
    val slot = RegInit(U(1, slotWidth bits))
    val sameBlock = (0 until slots).map(i => used(i) && sent(i) && address(i) === address(slot)).orR
    val ready = used(slot) && closed(slot) && !sent(slot) && !sameBlock
    val touched = Vec(mask(slot).subdivideIn(p.wordBytes bits).map(_.orR)).asBits
    val single = CountOne(touched) === 1

    // What is being sent, in registers of its own.
    val busy = RegInit(False)
    val current = Reg(UInt(slotWidth bits))
    val block = Reg(UInt(32 - blockLog bits))
    val full, one = Reg(Bool())
    val word, lastWord = Reg(UInt(log2Up(words) bits))
    when(ready && !busy) {
      busy := True
      current := slot
      block := address(slot)
      full := mask(slot).andR
      one := single
      word := single ? OHToUInt(touched) | U(0)
      lastWord := single ? OHToUInt(touched) | U(words - 1)
      sent(slot) := True
      slot := slot + 1
    }

    io.a.valid := busy
    io.a.opcode := full ? Opcode.A.PUT_FULL_DATA() | Opcode.A.PUT_PARTIAL_DATA()
    io.a.param := 0
    io.a.source := current.resized
    io.a.address := block @@ (one ? word | U(0, log2Up(words) bits)) @@ U(0, wordLog bits)
    io.a.size := one ? U(wordLog, io.a.size.getWidth bits) | U(blockLog, io.a.size.getWidth bits)
    io.a.mask := mask(current).subdivideIn(p.wordBytes bits).read(word)
    io.a.data := data.readAsync(current @@ word)
    io.a.corrupt := False
    when(io.a.fire) {
      word := word + 1
      busy clearWhen (word === lastWord)
    }
  }

  when(io.acknowledged.valid) { used(io.acknowledged.payload) := False }

  io.conflict := (0 until slots).map(i => used(i) && address(i) === (io.probe >> blockLog)).orR
  io.empty := !used.orR
}
