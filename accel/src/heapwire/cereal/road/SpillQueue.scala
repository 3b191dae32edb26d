package heapwire.cereal.road

import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** A first-in first-out queue of 32-bit words. If it is long, its middle part is in memory, in a ring of whole blocks.
  *
  * While it is short nothing is written, and a word comes out 3 cycles after it went in. At most one block is written
  * and one is read at a time, and no block is requested before it is in memory. `full`: a word waits for room in the
  * ring, and there will be none until words are taken. `clear` (level, until `idle`): drops everything. `ring`,
  * block-aligned, and `blocks`, at least 1, must be stable while the queue is in use.
  */
case class SpillQueue(p: MemoryParameter) extends Component {
  val node: NodeParameters = p.master("spill_queue", 2, get = true, put = true)
  val io = new Bundle {
    val push = slave(Stream(Bits(32 bits)))
    val pop = master(Stream(Bits(32 bits)))
    val ring = in UInt (p.addressWidth bits)
    val blocks = in UInt (p.addressWidth - log2Up(p.blockBytes) bits)
    /** The queue is empty. */
    val empty = out(Bool())
    val full = out(Bool())
    val clear = in(Bool())
    val idle = out(Bool())
    /** The bus denied a request (pulse). */
    val error = out(Bool())
    val bus = master(Bus(node))
  }
  private val lanes = p.dataWidth / 32
  private val words = p.wordsPerBlock
  private val blockShift = log2Up(p.blockBytes)
  private val beatWidth = log2Up(words)

  case class Chunk() extends Bundle {
    val data = Vec.fill(lanes)(Bits(32 bits))
    /** Number of lanes in use, minus one. */
    val count = UInt(log2Up(lanes) max 1 bits)
  }
  val length = Reg(UInt(32 bits)) init 0
  length := length + io.push.fire.asUInt - io.pop.fire.asUInt
  io.empty := length === 0

  /** Collects words to memory words. */
  val gather = new Area {
    val data = Vec.fill(lanes)(Reg(Bits(32 bits)))
    val count = Reg(UInt(log2Up(lanes + 1) bits)) init 0
    val fifo = StreamFifo(Chunk(), 2 * words, latency = 1)
    fifo.io.flush := io.clear
    val whole = count === lanes
    /** Nothing is in front of the collected words: they move on even if they do not fill a memory word. */
    val alone = Bool()
    val out = Stream(Chunk())
    out.valid := whole || alone && count =/= 0
    out.data := data
    out.count := (count - 1).resized
    io.push.ready := !whole || out.ready
    when(out.fire) { count := 0 }
    when(io.push.fire) {
      val at = out.fire ? U(0, widthOf(count) bits) | count
      for (i <- 0 until lanes) when(at === i) { data(i) := io.push.payload }
      count := at + 1
    }
    when(io.clear) { count := 0 }
    out.throwWhen(io.clear) >> fifo.io.push
  }
  val spread = new Area {
    val fifo = StreamFifo(Chunk(), 2 * words, latency = 1)
    fifo.io.flush := io.clear
    val lane = Reg(UInt(log2Up(lanes) max 1 bits)) init 0
    val last = lane === fifo.io.pop.count
    io.pop.valid := fifo.io.pop.valid && !io.clear
    io.pop.payload := (if (lanes == 1) fifo.io.pop.data(0) else fifo.io.pop.data.read(lane))
    fifo.io.pop.ready := io.pop.ready && last
    when(io.pop.fire) { lane := last ? U(0) | (lane + 1) }
    when(io.clear) { lane := 0 }
  }

  val ring = new Area {
    val writeIndex, readIndex, held = Reg(UInt(p.addressWidth - blockShift bits)) init 0
    /** `held`: the number of blocks in memory or on their way there. Below: the number of those that have arrived in
      * memory.
      */
    val written = Reg(UInt(p.addressWidth - blockShift bits)) init 0
    val putting, getting = RegInit(False)
    val sent = Reg(UInt(beatWidth bits)) init 0
    val sending, asking = RegInit(False)
    private def next(index: UInt) = (index + 1 === io.blocks) ? U(0) | (index + 1)

    val block = gather.fifo.io.occupancy >= words
    val straight = held === 0 && !sending
    gather.alone := straight && !gather.fifo.io.pop.valid && !spread.fifo.io.pop.valid
    val room = held =/= io.blocks
    // While there is room for a word in front, the word never goes through memory.
    val spreadRoom = spread.fifo.io.availability
    val start = !sending && !putting && block && room && !(straight && spreadRoom =/= 0) && !io.clear
    when(start) {
      sending := True
      held := held + 1
      putting := True
    }
    /** A block that returns, or is about to, makes room. */
    val returns = getting || written =/= 0 && spreadRoom >= words
    io.full := !sending && !putting && block && !room && !returns && io.push.valid && !io.push.ready

    val a = Stream(ChannelA(io.bus.p))
    a.valid := sending || asking
    a.opcode := sending ? Opcode.A.PUT_FULL_DATA() | Opcode.A.GET()
    a.param := B(Param.Hint.NONE, 3 bits)
    a.source := (!sending).asUInt.resized
    a.address := ((io.ring >> blockShift) + (sending ? writeIndex | readIndex)) @@ U(0, blockShift bits)
    a.size := blockShift
    a.data := gather.fifo.io.pop.data.asBits
    a.mask.setAll()
    a.corrupt := False
    a.debugId := 0
    when(a.fire) {
      when(sending) {
        sent := sent + 1
        when(sent.andR) {
          sending := False
          writeIndex := next(writeIndex)
        }
      } otherwise {
        asking := False
        readIndex := next(readIndex)
      }
    }
    io.bus.a << a
    when(!getting && returns && !io.clear) {
      getting := True
      asking := True
    }

    val d = io.bus.d
    d.ready := True
    val get = d.source.lsb
    val arrived = d.valid && get
    val acknowledged = d.valid && !get
    val came = arrived && d.isLast()
    when(acknowledged) { putting := False }
    when(came) { getting := False }
    written := written + acknowledged.asUInt - came.asUInt
    when(came) { held := held - 1 }
    when(came && start) { held := held }
    io.error := d.valid && d.denied

    val move = straight && gather.fifo.io.pop.valid && !start
    spread.fifo.io.push.valid := arrived || move
    spread.fifo.io.push.payload := gather.fifo.io.pop.payload
    when(arrived) {
      spread.fifo.io.push.data := d.data.subdivideIn(32 bits)
      spread.fifo.io.push.count := lanes - 1
    }
    gather.fifo.io.pop.ready := sending ? (a.ready) | (move && spread.fifo.io.push.ready)
    io.idle := !putting && !getting && !sending && !asking
    when(io.clear && io.idle) {
      writeIndex := 0
      readIndex := 0
      held := 0
      written := 0
      length := 0
    }
  }
}
