package heapwire.cereal.road

import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** One read: a whole block, or one memory word of it. */
case class ReadRequest(p: MemoryParameter) extends Bundle {
  /** Byte address. The bits below the word, or below the block if `block`, are ignored. */
  val address = UInt(p.addressWidth bits)
  val block = Bool()
  /** Returned with the words. */
  val mark = Bool()
}

/** A word that was read. */
case class ReadWord(p: MemoryParameter) extends Bundle {
  val data = Bits(p.dataWidth bits)
  /** The bus denied the request. */
  val error = Bool()
}

/** A word from the queue. */
case class QueuedWord(p: MemoryParameter) extends Bundle {
  val word = ReadWord(p)
  /** The mark of its request. */
  val mark = Bool()
}

/** Keeps many Gets in flight and delivers their words in the order of the requests. Latency: 1 cycle to the bus, 2 from
  * the bus. Words are stored until they are taken, so the bus is never blocked.
  *
  * @param slots    requests in flight, a power of two
  * @param allocate reads allocate in the shared cache
  */
case class ReadQueue(p: MemoryParameter, slots: Int = 16, allocate: Boolean = false) extends Component {
  require(isPow2(slots) && slots >= 2, s"slots must be a power of two of at least 2, not $slots")

  val node: NodeParameters = p.master("read_queue", slots, get = true)
  val io = new Bundle {
    val request = slave(Stream(ReadRequest(p)))
    val word = master(Stream(QueuedWord(p)))
    /** No request is in flight and no word waits. */
    val idle = out(Bool())
    /** A request waits only for the bus, or a word is due. */
    val waiting = out(Bool())
    val bus = master(Bus(node))
  }
  private val words = p.wordsPerBlock
  private val slotWidth = log2Up(slots)

  /** Slots are used in turn: `tail` is the oldest one in flight. */
  val head, tail = Reg(UInt(slotWidth + 1 bits)) init 0
  val used = head - tail
  val allowed = used =/= slots
  /** For each request in flight: whether it is of one word, and its mark. */
  val requests = Mem(Bits(2 bits), slots)

  val issue = io.request.continueWhen(allowed)
  val get = issue.map { request =>
    val a = ChannelA(io.bus.p)
    a.opcode := Opcode.A.GET
    a.param := (if (allocate) Param.Hint.NONE else Param.Hint.NO_ALLOCATE_ON_MISS)
    a.source := head.resize(slotWidth)
    a.address := request.address
    a.address(p.wordRange) := 0
    a.size := log2Up(p.wordBytes)
    when(request.block) {
      a.address(p.blockRange) := 0
      a.size := log2Up(p.blockBytes)
    }
    a.debugId := 0
    a
  }
  get.m2sPipe() >> io.bus.a
  when(issue.fire) { head := head + 1 }
  requests.write(head.resize(slotWidth), issue.mark ## !issue.block, issue.fire)

  /** For each slot: the words up to `lastWord` have arrived. */
  val begun = RegInit(B(0, slots bits))
  val lastWord = Mem(UInt(log2Up(words) bits), slots)
  // A word is read only after it has been written.
  val buffer = BlockRam(Mem(ReadWord(p), slots * words))
  val arrival = new Area {
    val d = io.bus.d
    d.ready := True
    val slot = d.source.resize(slotWidth)
    val beat = d.beatCounter().resize(log2Up(words))
    val position = slot @@ beat
    val word = ReadWord(p)
    word.data := d.data
    word.error := d.denied || d.corrupt
    buffer.write(position, word, d.valid)
    lastWord.write(slot, beat, d.valid)
    when(d.valid) { begun(slot) := True }
  }

  val delivery = new Area {
    val beat = Reg(UInt(log2Up(words) bits)) init 0
    val position = tail.resize(slotWidth) @@ beat
    val slot = tail.resize(slotWidth)
    val request = requests.readAsync(slot)
    val last = request(0) || beat === words - 1
    val cmd = Stream(UInt(slotWidth + log2Up(words) bits))
    cmd.valid := begun(slot) && lastWord.readAsync(slot) >= beat
    cmd.payload := position
    when(cmd.fire) {
      beat := last ? U(0) | (beat + 1)
      when(last) {
        tail := tail + 1
        begun(slot) := False
      }
    }
    val read = buffer.streamReadSync(cmd, request(1)).map { read =>
      val queued = QueuedWord(p)
      queued.word := read.value
      queued.mark := read.linked
      queued
    }
    io.word << read.m2sPipe()
  }

  /** Number of words that are requested and not yet taken, those in the output registers included. */
  val due = Reg(UInt(slotWidth + log2Up(words) + 2 bits)) init 0
  due :=
    due +
      (issue.fire ? (issue.block ? U(words, widthOf(due) bits) | U(1, widthOf(due) bits)) | U(0, widthOf(due) bits)) -
      io.word.fire.asUInt
  io.idle := due === 0
  io.waiting := head =/= tail && !delivery.cmd.valid
}
