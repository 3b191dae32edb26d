package heapwire.protobuf.serialize

import heapwire.memory.{MemoryParameter, PathWord, ReadAheadClient}
import spinal.core._

/** The shape of a protobuf serializer.
  *
  * @param maxDepth       messages and groups within the root at most; a command may ask for less
  * @param cacheBytes     descriptor cache
  * @param objectLines    blocks of objects held or under way, with a port of 16 bytes
  * @param payloadWords   words of strings and arrays asked for ahead, with a port of 16 bytes
  * @param fieldsAhead    fields that are being looked at, and operations in each stage behind the walker
  * @param puts           Puts of output in flight, with a port of 16 bytes
  * @param streamingBytes strings and arrays from this length on do not allocate blocks in the shared cache
  * @param tagWidth       bits of a command's tag
  */
case class SerializerParameter(
    maxDepth: Int = 100,
    cacheBytes: Int = 4096,
    objectLines: Int = 64,
    payloadWords: Int = 64,
    fieldsAhead: Int = 8,
    puts: Int = 32,
    streamingBytes: Int = 8192,
    tagWidth: Int = 4) {
  require(maxDepth >= 1 && maxDepth <= 127, s"maxDepth must lie between 1 and 127, not $maxDepth")
  require(isPow2(fieldsAhead) && fieldsAhead >= 4, s"fieldsAhead must be a power of two of at least 4, not $fieldsAhead")
  require(isPow2(streamingBytes), s"streamingBytes must be a power of two, not $streamingBytes")
  require(tagWidth >= 1, s"tagWidth must be at least 1, not $tagWidth")

  /** Levels 0 (the root) to maxDepth, and one that is too deep. */
  val levelWidth: Int = log2Up(maxDepth + 2)

  /** The readers of objects, by index. */
  def clients(m: MemoryParameter): Seq[ReadAheadClient] =
    Seq.fill(4)(ReadAheadClient(fieldsAhead, fieldsAhead)) :+ ReadAheadClient(payload(m), 4)

  // Over a narrower port a block takes longer, so that fewer of them cover the memory's latency; and as
  // objects and output share the port, a word of a string is wanted every second cycle at most.
  private def narrow(m: MemoryParameter): Boolean = PathWord.bytes(m) < 16
  def lines(m: MemoryParameter): Int = if (narrow(m)) objectLines / 2 max 8 else objectLines
  def ways(m: MemoryParameter): Int = if (narrow(m)) 2 else 4
  def putsInFlight(m: MemoryParameter): Int = if (narrow(m)) puts / 4 max 2 else puts
  def payload(m: MemoryParameter): Int = if (narrow(m)) payloadWords / 2 max 2 else payloadWords
}

/** Those whose words are needed first come last: what they read lets the others go on. */
object Client {
  val Scanner = 0
  val Walker = 1
  /** Of a command with C structs the [[Measurer]]'s, as that has no references that are followed. */
  val Reference = 2
  val Array = 3
  val Payload = 4
}
