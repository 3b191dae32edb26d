package heapwire.protobuf

import heapwire.memory._
import spinal.core._
import spinal.lib._

/** What joins an executor to the rest of the deserializer. */
case class ExecutorPort(p: ProtobufParameter, m: MemoryParameter) extends Bundle {
  val port = slave(UnitPort(p.tagWidth))
  val step = slave(Stream(FieldStep()))
  val start = master(Flow(ByteRange(m)))
  val directive = master(Flow(Directive()))
  val chunk = slave(Stream(ByteChunk(PathWord.bytes(m))))
  /** The open message's table; lookups wait while not `tableReady`. */
  val table = out(TableContext())
  val tableReady = out Bool()
  /** Within an unknown group. */
  val skipping = out Bool()
  /** Reads of table headers, enum lists and initial records. */
  val header = master(Flow(UInt(32 bits)))
  val cacheHit, cacheFault, cacheIdle = in Bool()
  val cacheData = in Bits(128 bits)
  val prefetch = master(Flow(UInt(32 bits)))
  val prefetchBlocks = out UInt(3 bits)
  val tableLimit = out UInt(32 bits)
  val invalidate = out Bool()
  /** The number of an enum that was found to be declared. */
  val declared = master(Flow(EnumValue()))
  /** A bus fault or a write outside the arenas. */
  val readFault, writeFault, violation = in Bool()
  val position = in UInt(32 bits)
  val arenas = out(Vec(Bounds(m), 2))
  val write = master(Stream(ObjectWrite(m)))
  val flush, drop = out Bool()
  /** No write is on its way to the combiner; nothing in it and nothing in flight. */
  val pathIdle, combinerIdle = in Bool()
  val readersIdle = in Bool()
  val listRead = master(Stream(ByteRange(m)))
  val listWord = slave(Stream(Granule()))
  /** Ends everything under way (level, until all is idle). */
  val kill = out Bool()
  val streaming = out Bool()
  val starving, lookupWaiting = in Bool()
}
