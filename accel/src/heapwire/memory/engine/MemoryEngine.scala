package heapwire.memory.engine

import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Moves bytes from one range of memory to another, or writes constants to a range, over one bus. It has as many reads
  * and as many writes in flight as it has slots.
  *
  * {{{
  *  D -> slots (block RAM) -> register -> rotation, carry -> guard -> A
  * }}}
  *
  * Read data wait in slots of a block each (32 slots; 16 at 32 bits), which are used in turn. A burst starts when all
  * of its data have arrived, and then has a word every cycle. A written word is made of two consecutive read words: the
  * engine reads one word ahead (`prime`) and from there one word per written word, so bursts need no special cases. The
  * user supplies the addresses and masks of what leaves, in the same cycle.
  *
  * `begin` starts a job and is allowed while `ready` and `idle`. `from`, `to`, `small` and `constant` must be stable
  * from then on. Reads and writes ask the shared cache not to allocate.
  *
  * A [[WriteGuard]] is the last on the way to memory. It lets no byte be written outside of `owned`, which must be
  * stable while a request is in it.
  *
  * Beside the slots there are two side blocks for the user's own reads: lists, and the old value of a swap.
  */
case class MemoryEngine(p: MemoryParameter) extends Component {
  import MemoryEngine._
  val SlotWidth: Int = slotWidth(p)
  val Slots: Int = 1 << SlotWidth
  private val wordShift = log2Up(p.wordBytes)
  private val blockShift = log2Up(p.blockBytes)
  private val beatWidth = log2Up(p.wordsPerBlock)
  private val parts = SmallBytes / p.wordBytes
  require(p.blockBytes == 4 * SmallBytes, s"blocks must be of ${4 * SmallBytes} bytes, not ${p.blockBytes}")
  /** Source ids: a slot's Get has the slot's number; Puts use the upper half in turn. In a `small` job they leave out
    * the upper half of that half, which belongs to the side blocks. Puts in flight are only counted, so sources are
    * unique if all Puts that are not denied are acknowledged in order, as the shared cache does.
    */
  val node: NodeParameters = p.master("memory_engine", 2 * Slots, get = true, put = true)

  val io = new Bundle {
    val begin = in(Bool())
    val ready, idle = out(Bool())
    /** Offsets of the ranges' first bytes in their blocks. */
    val from, to = in UInt (blockShift bits)
    /** Slots hold aligned 16 bytes each, from which blocks are assembled; `from` and `to` are aligned to 16. */
    val small = in(Bool())
    /** The written data are `value`, on all lanes. */
    val constant = in(Bool())
    val value = in Bits (32 bits)
    /** The most reads in flight, at least 1; sampled with `begin`. There are never more than slots. */
    val limit = in UInt (SlotWidth + 1 bits)

    /** Requests of the user: the next slot's Get, a side block's Get, a beat of a swap. The side block's and the swap's
      * have priority. A request may change until it is taken.
      */
    val get, sideGet, swap = in(Bool())
    val gotten, sideGotten = out(Bool())
    val side = in UInt (1 bits)
    /** More Gets for slots will come. */
    val reading = in(Bool())
    /** `writing`: another block is to be written. `written`: the last beat of a block is on its way; it may leave up to
      * four cycles later.
      */
    val writing = in(Bool())
    val written = out(Bool())
    /** `putting`: a word of a block is the next to leave. `beat`: that word leaves, with its number in the block. */
    val putting = out(Bool())
    val beat = master(Flow(UInt(beatWidth bits)))
    /** If `putting`, of that block; otherwise of the user's request. */
    val address = in UInt (p.addressWidth bits)
    val mask = in Bits (p.wordBytes bits)
    val owned = in(Bounds(p, inclusive = true))
    /** A write outside of `owned` was refused (pulse). */
    val violation = out(Bool())

    /** `sideHere`: a side block has arrived. `sideRead` reads one of its words, which comes 3 cycles after the address
      * is taken.
      */
    val sideHere = master(Flow(SideAnswer()))
    val sideRead = slave(Stream(UInt(1 + beatWidth bits)))
    val sideWord = master(Flow(Bits(p.dataWidth bits)))

    /** An answer is denied (pulse). */
    val fault = out(Bool())
    /** A block waits to be written: for reads (`starved`), or for acknowledgements of earlier writes (`pressed`). */
    val starved, pressed = out(Bool())
    val bus = master(Bus(node))
  }

  val order = new SlotOrder(SlotWidth)
  io.ready := order.ready
  val words = BlockRam(Mem(Bits(p.dataWidth bits), 2 * Slots * p.wordsPerBlock))

  val arrival = new Area {
    val d = io.bus.d
    d.ready := True
    val isData = d.opcode === Opcode.D.ACCESS_ACK_DATA
    val beat = Reg(UInt(beatWidth bits)) init 0
    val smallEnd = if (parts == 1) True else beat(log2Up(parts) - 1 downto 0).andR
    val last = beat.andR || d.size =/= blockShift && smallEnd || d.size === wordShift
    when(d.valid && isData) { beat := last ? U(0) | (beat + 1) }
    words.write(d.source @@ beat, d.data, d.valid && isData)
    val done = d.valid && isData && last
    order.answer.valid := done && !d.source.msb
    order.answer.payload := d.source.resized
    io.sideHere.valid := done && d.source.msb
    io.sideHere.side := d.source.resized
    io.sideHere.denied := d.denied
    val acknowledged = d.valid && !isData
    io.fault := d.valid && d.denied
  }

  /** The position of the next read of the slots. The first position is one word before what the first beat needs. That
    * is in the same slot, or in the slot before, which is empty; with `small`, it is before as many slots as there are
    * units of 16 bytes between the block's start and the range's start.
    */
  val place = new Area {
    val slot = Reg(UInt(SlotWidth + 1 bits))
    val beat = Reg(UInt(beatWidth bits))
    val step = Bool()
    val distance = io.from +^ ~io.to
    val back = (io.small || !distance.msb) #* (SlotWidth - 1) ##
      (io.small ? ~io.to(blockShift - 1 downto blockShift - 2) | B(!distance.msb #* 2).asUInt)
    val last = beat.andR || (if (parts == 1) io.small else io.small && beat(log2Up(parts) - 1 downto 0).andR)
    when(step) {
      beat := last ? U(0) | (beat + 1)
      when(last) { slot := slot + 1 }
    }
    when(io.begin) {
      slot := order.next + back.asUInt
      beat := io.small ? U(parts - 1, beatWidth bits) | distance(blockShift - 1 downto wordShift)
    }
  }

  val quota = new Area {
    val puts = Reg(UInt(SlotWidth + 1 bits)) init 0
    val reads = Reg(UInt(SlotWidth + 1 bits))
    val mayPut = !puts.msb && !(io.small && puts(SlotWidth - 1))
    val mayRead = order.ready && (order.next ^ place.slot) =/= Slots && (reads =/= 0 || order.answer.valid)
    when(order.claim =/= order.answer.valid) { reads := step(reads, order.answer.valid) }
    when(io.begin) { reads := io.limit }
    /** Returns `count` plus or minus one, with one adder. */
    def step(count: UInt, up: Bool): UInt = count + ((!up #* SlotWidth) ## True).asUInt
  }

  /** The guard's register is channel A. When it takes something, the whole pipeline in front of it moves. */
  val advance = Bool()
  case class Token() extends Bundle {
    val load, put, side = Bool()
    val beat = UInt(beatWidth bits)
  }
  val fetch = new Area {
    val token = Token()
    val fetched, turned = Reg(Token())
    when(advance) {
      fetched := token
      turned := fetched
    }
    for (stage <- Seq(fetched, turned); flag <- Seq(stage.load, stage.put, stage.side)) flag init False

    val beat = Reg(UInt(beatWidth bits)) init 0
    val inBurst = RegInit(False)
    val primed = Reg(Bool())
    val available = order.landed - place.slot
    val all = !io.reading && order.idle
    val enough = all || Mux(io.small, available >= 4, available >= 2 || available(0) && place.beat === 0)
    // A Get is sent between two bursts. In a `small` job, a Get that waits for the answer to an earlier one must not
    // find a burst in its way, so a burst then starts only right behind a Get.
    val behind = io.gotten || RegNext(io.gotten)
    val gap = (!fetched.put || !(io.get && quota.mayRead || io.sideGet)) &&
      !(io.small && io.get && quota.reads === 0 && !behind)
    val side = io.sideRead.valid && !inBurst
    val prime = io.writing && !primed && (all || available =/= 0) && !side
    val start = io.writing && primed && !inBurst && enough && quota.mayPut && gap && !side
    token.put := inBurst || start
    token.load := token.put || prime
    token.side := side
    token.beat := beat
    io.sideRead.ready := advance && !inBurst
    place.step := advance && token.load
    io.written := advance && token.put && beat.andR
    when(advance) {
      primed setWhen prime
      when(token.put) {
        beat := beat + 1
        inBurst := !beat.andR
      }
    }
    when(io.begin) { primed := False }

    when((advance && start) =/= arrival.acknowledged) { quota.puts := quota.step(quota.puts, !arrival.acknowledged) }
    io.starved := io.writing && !inBurst && !enough
    io.pressed := io.writing && !inBurst && !quota.mayPut
    io.idle := order.idle && quota.puts === 0

    val address = side ? (B"11" ## B(0, SlotWidth - 2 bits) ## io.sideRead.payload).asUInt |
      (U"0" @@ place.slot.resize(SlotWidth) @@ place.beat)
    val word = RegNextWhen(words.readSync(address, advance), advance)
  }
  import fetch.turned
  io.putting := turned.put
  io.beat.valid := advance && turned.put
  io.beat.payload := turned.beat
  io.sideWord.valid := advance && turned.side
  io.sideWord.payload := fetch.word

  val rotation = new Area {
    val bytes = ~place.distance(wordShift - 1 downto 0)
    val rotated = fetch.word.rotateLeft(bytes << 3)
    val carry = Reg(Bits(p.dataWidth bits))
    when(advance && turned.load) { carry := rotated }
    when(io.constant) { carry := 0 }
    val word = Vec((0 until p.wordBytes).map(i =>
        (io.constant || bytes > i) ? carry.subdivideIn(8 bits)(i) | rotated.subdivideIn(8 bits)(i))).asBits
    val data = word | io.value #* (p.dataWidth / 32)
  }

  val request = new Area {
    val guard = WriteGuard(p, node, 1, inclusive = true)
    guard.io.ranges(0) := io.owned
    io.violation := guard.io.violation
    val a = guard.io.up
    val putNumber = Reg(UInt(SlotWidth bits)) init 0
    val swapBeat = io.swap && !turned.put
    val side = !turned.put && (io.swap || io.sideGet)
    val get = !turned.put && !side && io.get && quota.mayRead
    advance := a.ready
    io.sideGotten := advance && side
    io.gotten := advance && get
    order.claim := io.gotten
    when(io.beat.valid && turned.beat.andR) { putNumber := putNumber + 1 }
    a.valid := turned.put || side || get
    // The guard makes each Put a partial one.
    a.opcode := (turned.put || io.swap) ? Opcode.A.PUT_PARTIAL_DATA() | Opcode.A.GET()
    a.param := swapBeat ? B(CompareAndSwap.Param, 3 bits) | B(Param.Hint.NO_ALLOCATE_ON_MISS, 3 bits)
    a.source := U"0" @@ order.next.resize(SlotWidth)
    when(side) { a.source := U(3 << SlotWidth - 2, SlotWidth bits) @@ io.side }
    when(turned.put) {
      a.source := (B"1" ## (putNumber.msb && !io.small) ## putNumber(SlotWidth - 2 downto 0)).asUInt
    }
    a.size := blockShift
    when(swapBeat) { a.size := wordShift + 1 } elsewhen (get && io.small) { a.size := log2Up(SmallBytes) }
    a.address := io.address
    a.data := rotation.data
    a.mask := io.mask
    a.corrupt := False
    a.debugId := 0
    io.bus.a << guard.io.down
  }
}

object MemoryEngine {
  /** Returns the bits of a slot's number. At 32 bits the port is busy for longer with the same number of blocks, so
    * fewer slots hide as many cycles, and they take half of the block RAM.
    */
  def slotWidth(p: MemoryParameter): Int = if (p.dataWidth == 32) 4 else 5
  /** Bytes per slot of a `small` job. */
  val SmallBytes = 16

  case class SideAnswer() extends Bundle {
    val side = UInt(1 bits)
    val denied = Bool()
  }
}
