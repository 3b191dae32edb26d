package heapwire.protobuf.serialize

import heapwire.memory.BlockRam
import spinal.core._
import spinal.lib._

/** A list of references that is being walked from its end. */
case class ListWalk() extends Bundle {
  /** The list, for faults. */
  val origin = UInt(32 bits)
  /** Behind the next element; of C structs that lie in a row, the next one. */
  val element = UInt(32 bits)
  /** Elements to come; 0 if the field is not repeated. */
  val left = UInt(32 bits)
  /** Native: bytes from one element to the one before it, which is negative. */
  val step = SInt(18 bits)
}

/** A field whose messages are being written. */
case class MessageField() extends Bundle {
  val key = Bits(32 bits)
  val isGroup = Bool()
  val table = UInt(32 bits)
  val list = ListWalk()
}

/** An open message, with the field of it that is being written. */
case class WalkerFrame() extends Bundle {
  val address = UInt(32 bits)
  val table, entriesEnd = UInt(32 bits)
  val size, hasbitsOffset = UInt(16 bits)
  val hasbitsWords = UInt(5 bits)
  /** Fields to come. */
  val left = UInt(16 bits)
  val field = MessageField()
}

/** Frames by level. `top` is the frame below `level`, valid two cycles after a push and one after a change of `level`. */
case class WalkerStack(p: SerializerParameter) extends Component {
  val io = new Bundle {
    val level = in UInt(p.levelWidth bits)
    val push = in Bool()
    val frame = in(WalkerFrame())
    val top = out(WalkerFrame())
  }
  val frames = BlockRam(Mem(WalkerFrame(), p.maxDepth + 1))
  frames.write(io.level, io.frame, io.push)
  io.top := frames.readSync(io.level - 1)
}
