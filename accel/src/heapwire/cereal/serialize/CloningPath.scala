package heapwire.cereal.serialize

import spinal.core._
import spinal.lib._

/** The differences of a [[SerializationPath]] in Skyway's mode: the slots of objects go to the output unchanged except
  * that references become relative ([[RelativeMerge]]), instead of values alone; and numbers go there instead of to
  * their section. The result goes to the [[ValueArray]] over `written`.
  */
class CloningPath(unit: SerializationUnit, path: SerializationPath, written: Stream[SlotWord]) extends Area {
  import unit._
  private val lanes = Window.lanes(m)

  path.manager.io.mode.on := clones
  // No header has been read before the root has left.
  path.manager.io.mode.begins := !path.rootGone
  path.manager.io.mode.stream := stream.owner(15 downto 0).asBits
  path.manager.io.mode.base := stream.relative.resized
  path.handler.io.clones := clones

  val merge = RelativeMerge(lanes, p.clonesAhead)
  private val values = StreamDemux(path.handler.io.values, clones.asUInt, 2)
  merge.io.input.arbitrationFrom(values(1))
  merge.io.input.data := values(1).data
  merge.io.input.mask := values(1).mask
  merge.io.input.holes := path.handler.io.holes
  private val numbers = StreamDemux(path.manager.io.number, clones.asUInt, 2)
  path.numbers.io.number << numbers(0)
  merge.io.number << numbers(1)

  /** Clones that begin in the middle of a word of 16 bytes: two slots stand in for those in front. */
  val lead = new Area {
    val gone = RegInit(False)
    val due = if (lanes == 4) !gone && argument("output")(3) else False
    val stream = Stream(SlotWord(lanes))
    stream.valid := merge.io.output.valid
    stream.data := merge.io.output.data
    stream.mask := due ? B(3, lanes bits) | merge.io.output.mask
    merge.io.output.ready := stream.ready && !due
    gone setWhen stream.fire
  }
  written << StreamMux(clones.asUInt, Seq(values(0), lead.stream))
  path.values.io.exact := clones

  /** The highest type id of the claimed objects. `typesNext` includes this cycle. */
  private val types = Reg(UInt(16 bits)) init 0
  private val id = path.manager.io.pending.shape.id
  val typesNext: UInt = (path.manager.io.claim.fire && id > types) ? id | types
  types := typesNext
}
