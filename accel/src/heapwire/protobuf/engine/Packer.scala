package heapwire.protobuf.engine

import spinal.core._
import spinal.lib._

/** Where the output goes: below `cursor`, not below `bound`. */
case class PackRange() extends Bundle {
  val cursor, bound = UInt(32 bits)
}

/** Encodes items and packs their bytes downwards into granules of 8 bytes, each item right below the one before it.
  *
  * An item a cycle, two for one of 9 or 10 bytes. `cursor` includes it 3 cycles after the one it was taken in (4 if
  * long), its last whole granule is offered on `write` from the 4th (5th) on, and `full` is known then, too.
  *
  * The bytes of an item are turned to their lanes and put straight into a queue of 4 granules, whose lanes are written
  * one by one: the granule that is being gathered is the queue's last entry. An entry's place in the queue is its
  * address. What is stored there counts only once the cursor that includes it is `known`.
  */
case class Packer() extends Component {
  val io = new Bundle {
    val item = slave(Stream(PackItem()))
    /** The same as `item.ready`, for who has to know early. */
    val ready = out Bool ()
    /** Fires when nothing is under way; what is gathered is forgotten. */
    val start = slave(Flow(PackRange()))
    /** The cursor is here now. Fires only while `settled`, nothing being gathered. */
    val seek = slave(Flow(UInt(32 bits)))
    /** Level: what is gathered is written as soon as no item is under way. */
    val flush = in Bool()
    /** No item is under way, no granule waits for `write.ready` and, if `flush` (which leads here directly), nothing is
      * gathered.
      */
    val settled = out Bool()
    /** The lowest byte of what has been taken, once `counted`; means nothing once `full`. */
    val cursor = out UInt(32 bits)
    /** No item is under way whose bytes the cursor lacks. */
    val counted = out Bool()
    /** The same, and `full` says of all of them whether they fit. */
    val placed = out Bool()
    /** Until `start`: an item did not fit. It and those behind it are taken, and dropped; nothing of them is written.
      */
    val full = out Bool()
    val write = master(Stream(EngineWrite()))
  }
  val encoder = Encoder()
  encoder.io.item << io.item
  io.ready := encoder.io.ready
  val run = encoder.io.run

  val bound = RegNextWhen(io.start.bound, io.start.valid)
  /** Below the run that is being placed; a bit more, so that it does not wrap. */
  val cursor = Reg(UInt(33 bits))
  when(run.fire) { cursor := cursor - run.count }
  private val move = io.start.valid || io.seek.valid
  when(move) { cursor := (io.start.valid ? io.start.cursor | io.seek.payload).resized }
  /** The cursor was set in the cycle before, and in the one before that. */
  val moved = RegNext(move) init False
  val movedBefore = RegNext(moved) init False

  /** The run that is being placed, and where the one before it ended (the low bits). */
  val place = new Area {
    /** There is room. */
    val go = RegInit(False)
    val valid = RegNextWhen(run.valid, go) init False
    val data = RegNextWhen(run.data, go)
    val more = RegNextWhen(run.more, go)
    val from = Reg(UInt(5 bits)) init 0
    val full = Reg(Bool()) init False
    val misfit = cursor.msb || cursor.resize(32 bits) < bound
    val fire = valid && go && !full
    /** An item is complete: what the cursor says counts. */
    val commit = fire && !misfit && !more
    when(fire) {
      full := misfit
      from := cursor(4 downto 0)
    }
    when(moved) { from := cursor(4 downto 0) }
    when(io.start.valid) { full := False }
  }
  run.ready := place.go

  /** The queue's granules. Lanes below `from` belong to the granule `from` is in, the others to the one the cursor is
    * in.
    */
  val lanes = new Area {
    private val rotated = place.data.rotateLeft(cursor(2 downto 0) << 3)
    private val crosses = place.from(4 downto 3) =/= cursor(4 downto 3)
    val memories = (0 until 8).map { i =>
      val memory = Mem(Bits(8 bits), 4)
      memory.addAttribute("ram_style", "distributed")
      val below = place.from(2 downto 0) > i
      memory.write((below ? place.from | cursor.resize(5 bits))(4 downto 3), rotated(8 * i, 8 bits), place.fire && (below || crosses))
      memory
    }
    def read(entry: UInt): Bits = Cat(memories.map(_.readAsync(entry, writeFirst)))
  }

  /** Up to where items are complete, and the blocks of 4 granules above that. */
  val known = new Area {
    val cursor = Reg(UInt(32 bits)) init 0
    val above = Reg(UInt(27 bits))
    when(place.commit || moved) {
      cursor := Packer.this.cursor.resized
      when(Packer.this.cursor(5) =/= cursor(5)) { above := cursor >> 5 }
    }
    /** Some of the granule the cursor is in has not been written yet. */
    val gathered = RegInit(False)
    when(place.commit) { gathered := cursorIsWithin(Packer.this.cursor) }
    when(moved) { gathered := False }
  }
  private def cursorIsWithin(at: UInt): Bool = at(2 downto 0) =/= 0
  /** The low 2 bits of the lowest granule that has all its bytes when the output ends here. */
  private def whole(at: UInt): UInt = at(4 downto 3) + cursorIsWithin(at).asUInt

  val output = new Area {
    /** Above the next granule to be written. */
    val top = Reg(UInt(2 bits)) init 0
    val next = top - 1
    /** Granules that are whole. */
    val waiting = top - whole(known.cursor)
    /** A granule that is not whole is offered. */
    val partial = RegInit(False)
    val idle = !encoder.io.busy && !place.valid && waiting === 0 && !partial && !moved
    private val begins = io.flush && known.gathered && idle
    when(begins) { partial := True }
    /** Lanes of the next granule that are not written yet, or belong to others; only of the first one not all. */
    val open = Reg(Bits(8 bits))
    val free = Cat((0 until 8).map(i => known.cursor(2 downto 0) > i))
    io.write.valid := waiting =/= 0 || partial
    io.write.address := ((next < known.cursor(4 downto 3)) ? known.above | (known.cursor >> 5)) @@ next @@ U(0, 3 bits)
    io.write.data := lanes.read(next)
    io.write.mask := open & ~free.andMask(partial)
    io.write.trusted := False
    when(io.write.fire) {
      partial := False
      open.setAll()
      when(partial) {
        open := free
        known.gathered := False
      } otherwise {
        top := next
      }
    }
    when(moved) { top := whole(cursor) }
    // Room is foreseen, so that who brings items hears of it from a register.
    private val topNext = (io.write.fire && !partial) ? next | top
    private val takenNext = topNext - whole(place.fire ? cursor.resize(5 bits) | place.from)
    private val goNext = moved || takenNext =/= 3 && !(begins || partial && !io.write.fire)
    place.go := goNext
    encoder.io.runNext := goNext
    when(movedBefore) { open := cursorIsWithin(known.cursor) ? free | B(0xff, 8 bits) }
  }
  io.cursor := cursor.resized
  io.counted := !encoder.io.busy
  io.placed := !encoder.io.busy && !place.valid
  io.full := place.full
  io.settled := output.idle && !(io.flush && known.gathered)
}
