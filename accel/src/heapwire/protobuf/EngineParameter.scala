package heapwire.protobuf

import heapwire.isa.FieldInstruction
import spinal.core._

/** The parameters of a protobuf engine.
  *
  * @param maxDepth    the most messages and groups that may be open within the root; a command may set a lower limit
  * @param inputSlots  blocks of input in flight
  * @param cacheBytes  size of the cache of tables and objects
  * @param writeBlocks blocks that gather writes, and Puts in flight
  * @param tagWidth    bits of a command's tag
  * @param fields      the engine also carries out the field instructions ([[engine.fields.FieldInstructions]])
  * @param fieldQueue  field instructions that may wait for the engine
  * @param views       commands may leave strings in the input; otherwise all strings are copied
  * @param looksUp     a command's arguments come one at a time over a port of their own; otherwise with the command
  */
case class EngineParameter(maxDepth: Int = 100, inputSlots: Int = 8, cacheBytes: Int = 8192, writeBlocks: Int = 4,
    tagWidth: Int = 4, fields: Boolean = false, fieldQueue: Int = 8, views: Boolean = true, looksUp: Boolean = false) {
  require(maxDepth >= 1 && maxDepth <= 127, s"maxDepth must lie between 1 and 127, not $maxDepth")
  require(tagWidth >= 1, s"tagWidth must be at least 1, not $tagWidth")
  require(!fields || maxDepth == FieldInstruction.MaxDepth,
    s"software counts on ${FieldInstruction.MaxDepth} messages within each other, not $maxDepth")
  require(isPow2(fieldQueue) && fieldQueue >= 2, s"fieldQueue must be a power of two of at least 2, not $fieldQueue")

  /** Levels 0 (the root) to maxDepth. */
  val levelWidth: Int = log2Up(maxDepth + 1)
}
