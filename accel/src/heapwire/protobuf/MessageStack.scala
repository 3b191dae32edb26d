package heapwire.protobuf

import heapwire.isa.DescriptorLayout
import spinal.core._
import spinal.lib._

/** What is put aside of a message while another one in it is open. */
case class Frame() extends Bundle {
  val address = UInt(32 bits)
  val table = TableContext()
  /** Bytes of the message behind the inner one; 0 if that is a group. */
  val remaining = UInt(32 bits)
  val toInputEnd = Bool()
  /** The message is a group. */
  val group = Bool()
  val unknown = UnknownRange()
  /** A struct that has been begun and nothing but what this command stored. */
  val fresh = Bool()
  /** The array of its open list, if that is not part of the struct. */
  val block = UInt(32 bits)
  val list = ListState()
  val presence = Bits(DescriptorLayout.MaxHasbitsWords bits)
}

/** Frames by level. `top` is the frame below `level`, valid two cycles after a push and one after a change of `level`. */
case class MessageStack(p: ProtobufParameter) extends Component {
  val io = new Bundle {
    val level = in UInt(p.levelWidth bits)
    val push = in Bool()
    val frame = in(Frame())
    val top = out(Frame())
  }
  val frames = Mem(Frame(), p.maxDepth + 1)
  frames.write(io.level, io.frame, io.push)
  io.top := frames.readSync(io.level - 1)
}
