package heapwire.cereal.deserialize

import heapwire.memory.MemoryParameter
import spinal.core._

/** The parameters of a deserialization unit (docs/reference/cereal.md).
  *
  * @param classes        entries of the class table; streams with class ids beyond it are left to software
  * @param pipelined      false: one block after the other, with nothing read before it is needed, as in the paper's
  *                       "vanilla" unit
  * @param tagWidth       bits of a command's tag
  * @param reconstructors number of blocks of 64 bytes that are built in parallel, each at one slot per cycle; a port of
  *                       16 bytes takes four slots per cycle
  * @param valueReads     blocks of the value array read ahead, with a port of 16 bytes
  * @param referenceReads blocks of packed references read ahead
  * @param layoutReads    blocks of packed layouts read ahead, in each of the two passes
  * @param writes         blocks of the image being written
  * @param startsBytes    size of the part of the map of starts that is on the chip (in two copies): one byte covers 64
  *                       bytes of the image
  * @param skyway         the unit also turns Skyway chunks into objects (docs/reference/skyway.md); `classes` is then
  *                       also the capacity for type ids
  * @param startsReads    reads in flight of the map in the work area, for references beyond the part on the chip
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
  require(isPow2(classes) && classes >= 32 && classes <= 4096,
    s"classes must be a power of two from 32 to 4096, not $classes")
  require(tagWidth >= 1, s"tagWidth must be at least 1, not $tagWidth")
  require(reconstructors >= 1 && reconstructors <= 8, s"1 to 8 reconstructors, not $reconstructors")
  require(pipelined || reconstructors == 1, s"without pipelining there is one reconstructor, not $reconstructors")
  for ((what, count) <- Seq("valueReads" -> valueReads, "referenceReads" -> referenceReads,
      "layoutReads" -> layoutReads, "writes" -> writes,
      "startsReads" -> startsReads))
    require(isPow2(count) && count >= 2, s"$what must be a power of two of at least 2, not $count")
  require(isPow2(startsBytes) && startsBytes >= 256 && startsBytes <= 65536,
    s"startsBytes must be a power of two from 256 to 65536, not $startsBytes")

  // With a narrower port a block takes longer, so fewer blocks cover the memory's latency.
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
