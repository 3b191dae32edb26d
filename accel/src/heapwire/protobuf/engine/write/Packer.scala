package heapwire.protobuf.engine.write

import heapwire.protobuf.engine.memory.GranuleWrite
import spinal.core._
import spinal.lib._

/** The range of the output: below `cursor`, down to `bound`. */
case class PackRange() extends Bundle {
  val cursor, bound = UInt(32 bits)
}

/** Encodes items and packs their bytes downwards into granules of 8 bytes, each item right below the one before it.
  *
  * Throughput: one item per cycle; an item of 9 or 10 bytes takes two. `cursor` includes an item 3 cycles after it was
  * taken (4 if it is long). The item's last whole granule is offered on `write` from the 4th (5th) cycle on, and `full`
  * is known then, too.
  *
  * The bytes of an item are rotated to their lanes and stored directly in a queue of 4 granules, whose lanes are
  * written separately: the granule being gathered is the queue's last entry. An entry's position in the queue is given
  * by its address. Its content is valid only once the cursor that includes it is `known`.
  */
case class Packer() extends Component {
  val io = new Bundle {
    val item = slave(Stream(PackItem()))
    /** The same as `item.ready`, available earlier in the cycle. */
    val ready = out Bool ()
    /** Starts a new output. Fires only while nothing is under way. What is gathered is dropped. */
    val start = slave(Flow(PackRange()))
    /** Sets the cursor. Fires only while `settled` and with nothing gathered. */
    val seek = slave(Flow(UInt(32 bits)))
    /** Level: writes what is gathered as soon as no item is under way. */
    val flush = in(Bool())
    /** No item is under way, no granule waits for `write.ready` and, if `flush` (a combinational path), nothing is
      * gathered.
      */
    val settled = out(Bool())
    /** Address of the lowest byte of all items taken, once `counted`. Undefined while `full`. */
    val cursor = out UInt (32 bits)
    /** The cursor includes all items that were taken. */
    val counted = out(Bool())
    /** As `counted`, and `full` is valid for all of them. */
    val placed = out(Bool())
    /** An item did not fit; until `start`. That item and later ones are taken and dropped; nothing of them is written.
      */
    val full = out(Bool())
    val write = master(Stream(GranuleWrite()))
  }
  val encoder = Encoder()
  encoder.io.item << io.item
  io.ready := encoder.io.ready
  val run = encoder.io.run

  val bound = RegNextWhen(io.start.bound, io.start.valid)
  /** Address below the run that is being placed; one bit wider, so that it does not wrap. */
  val cursor = Reg(UInt(33 bits))
  when(run.fire) { cursor := cursor - run.count }
  private val move = io.start.valid || io.seek.valid
  when(move) { cursor := (io.start.valid ? io.start.cursor | io.seek.payload).resized }
  /** The cursor was set one cycle ago, and two cycles ago. */
  val moved = RegNext(move) init False
  val movedBefore = RegNext(moved) init False

  /** The run that is being placed, and where the run before it ended (low address bits). */
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
    /** An item is complete: the cursor is valid. */
    val commit = fire && !misfit && !more
    when(fire) {
      full := misfit
      from := cursor(4 downto 0)
    }
    when(moved) { from := cursor(4 downto 0) }
    when(io.start.valid) { full := False }
  }
  run.ready := place.go

  /** The queue's granules. Lanes below `from` belong to the granule of `from`, the others to the granule of the cursor.
    */
  val lanes = new Area {
    private val rotated = place.data.rotateLeft(cursor(2 downto 0) << 3)
    private val crosses = place.from(4 downto 3) =/= cursor(4 downto 3)
    val memories = (0 until 8).map { i =>
      val memory = Mem(Bits(8 bits), 4)
      memory.addAttribute("ram_style", "distributed")
      val below = place.from(2 downto 0) > i
      memory.write((below ? place.from | cursor.resize(5 bits))(4 downto 3), rotated(8 * i, 8 bits),
        place.fire && (below || crosses))
      memory
    }
    def read(entry: UInt): Bits = Cat(memories.map(_.readAsync(entry, writeFirst)))
  }

  /** The address down to which items are complete, and the number of the block of 4 granules above it. */
  val known = new Area {
    val cursor = Reg(UInt(32 bits)) init 0
    val above = Reg(UInt(27 bits))
    when(place.commit || moved) {
      cursor := Packer.this.cursor.resized
      when(Packer.this.cursor(5) =/= cursor(5)) { above := cursor >> 5 }
    }
    /** The granule of the cursor has bytes that have not been written yet. */
    val gathered = RegInit(False)
    when(place.commit) { gathered := cursorIsWithin(Packer.this.cursor) }
    when(moved) { gathered := False }
  }
  private def cursorIsWithin(at: UInt): Bool = at(2 downto 0) =/= 0
  /** Returns the low 2 bits of the number of the lowest complete granule, if the output ends at `at`. */
  private def whole(at: UInt): UInt = at(4 downto 3) + cursorIsWithin(at).asUInt

  val output = new Area {
    /** Number (low bits) of the granule above the next one to be written. */
    val top = Reg(UInt(2 bits)) init 0
    val next = top - 1
    /** Number of complete granules. */
    val waiting = top - whole(known.cursor)
    /** An incomplete granule is offered. */
    val partial = RegInit(False)
    val idle = !encoder.io.busy && !place.valid && waiting === 0 && !partial && !moved
    private val begins = io.flush && known.gathered && idle
    when(begins) { partial := True }
    /** Lanes of the next granule that still have to be written and belong to this output. Only for the first granule
      * these may be fewer than all.
      */
    val open = Reg(Bits(8 bits))
    val free = Cat((0 until 8).map(i => known.cursor(2 downto 0) > i))
    io.write.valid := waiting =/= 0 || partial
    io.write.address := ((next < known.cursor(4 downto 3)) ? known.above | (known.cursor >> 5)) @@ next @@ U(0, 3 bits)
    io.write.data := lanes.read(next)
    io.write.mask := open & ~free.andMask(partial)
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
    // Room is computed a cycle ahead, so that the source of items sees it from a register.
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
