package heapwire.cereal.deserialize

import heapwire.memory.MemoryParameter
import spinal.core._

/** The shape of a deserialization unit (docs/cereal.md).
  *
  * @param classes        places in the table of classes; streams of classes beyond it are left to software
  * @param pipelined      false: one block after the other, nothing read before it is needed, as the paper's "vanilla"
  * @param tagWidth       bits of a command's tag
  * @param reconstructors blocks of 64 bytes that are put together side by side, each a slot a cycle; a port of 16 bytes
  *                       takes four slots a cycle
  * @param valueReads     blocks of the value array read ahead, with a port of 16 bytes
  * @param referenceReads blocks of packed references read ahead
  * @param layoutReads    blocks of packed layouts read ahead, in each of two passes
  * @param writes         blocks of the image being written
  * @param startsBytes    the part of the map of objects' starts that is on the chip, twice: a byte for 64 of the image
  * @param skyway         it makes chunks of Skyway into objects, too (docs/skyway.md); `classes` is the capacity for
  *                       its type ids then
  * @param startsReads    reads of the map under way, for references behind that part
  */
case class DeserializationUnitParameter(
    classes: Int = 256,
    pipelined: Boolean = true,
    tagWidth: Int = 4,
    reconstructors: Int = 4,
    valueReads: Int = 16,
    referenceReads: Int = 8,
    layoutReads: Int = 4,
    writes: Int = 16,
    startsBytes: Int = 4096,
    startsReads: Int = 16,
    skyway: Boolean = false) {
  require(isPow2(classes) && classes >= 2 && classes <= 4096, s"classes must be a power of two from 2 to 4096, not $classes")
  require(tagWidth >= 1, s"tagWidth must be at least 1, not $tagWidth")
  require(reconstructors >= 1 && reconstructors <= 8, s"1 to 8 reconstructors, not $reconstructors")
  require(pipelined || reconstructors == 1, s"without pipelining there is one reconstructor, not $reconstructors")
  for ((what, count) <- Seq("valueReads" -> valueReads, "referenceReads" -> referenceReads, "layoutReads" -> layoutReads, "writes" -> writes,
    "startsReads" -> startsReads)) require(isPow2(count) && count >= 2, s"$what must be a power of two of at least 2, not $count")
  require(isPow2(startsBytes) && startsBytes >= 256 && startsBytes <= 65536,
    s"startsBytes must be a power of two from 256 to 65536, not $startsBytes")

  // Over a narrower port a block takes longer, so that fewer of them cover the memory's latency.
  private def fewer(count: Int, m: MemoryParameter): Int = (count * m.wordBytes / 16) max 2
  def valueReadsOver(m: MemoryParameter): Int = fewer(valueReads, m)
  def referenceReadsOver(m: MemoryParameter): Int = fewer(referenceReads, m)
  def layoutReadsOver(m: MemoryParameter): Int = fewer(layoutReads, m)
  def writesOver(m: MemoryParameter): Int = fewer(writes, m)

  val classWidth: Int = log2Up(classes)
}

object DeserializationUnitParameter {
  /** The paper's ablation: no pipelining, one reconstructor. */
  val vanilla: DeserializationUnitParameter = DeserializationUnitParameter(pipelined = false, reconstructors = 1)
}
