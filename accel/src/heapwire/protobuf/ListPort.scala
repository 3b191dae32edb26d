package heapwire.protobuf

import heapwire.isa.Status
import heapwire.memory.{ByteRange, MemoryParameter}
import spinal.core._
import spinal.lib._

/** What joins a list builder to its executor. */
case class ListPort(p: MemoryParameter) extends Bundle {
  /** Starts a command: nothing is open. */
  val reset = in Bool()
  val base, limit = in UInt(32 bits)
  val target = in(ListTarget())
  /** Combinational: an element of the target can be appended at `element`, unless `full`. */
  val ready, full = out Bool()
  val element = out UInt(32 bits)
  val append = in Bool()
  /** Makes the target ready, or appends to it from memory. */
  val enter = in Bool()
  /** Closes the open list, at the end of its message. */
  val close = in Bool()
  val busy = out Bool()
  /** `enter` or `close` failed. */
  val error = out Bool()
  val status = out Bits(Status.Width bits)
  /** A list of this message was opened for the first time, in this cycle. */
  val opened = out Bool()

  val state = out(ListState())
  /** A message is opened in this one, whose `state` has been saved. */
  val push = in Bool()
  val pop = in Bool()
  val popState = in(ListState())

  val top = out UInt(32 bits)
  val fixedBase, fixedTop = in UInt(32 bits)
  val fixedRoom = in Bool()
  val allocate = out Bool()

  val mark = in Bits(32 bits)
  val klassIndex = out UInt(5 bits)
  val klass = in Bits(32 bits)

  val write = master(Stream(ObjectWrite()))
  /** Wanted: every earlier write is in memory. */
  val flush = out Bool()
  val flushed = in Bool()
  val readCommand = master(Stream(ByteRange(p)))
  val readWord = slave(Stream(Granule()))
  val kill = in Bool()
}
