package heapwire.protobuf.engine

import heapwire.isa.FieldInstruction
import spinal.core._

/** The shape of a protobuf engine.
  *
  * @param maxDepth    messages and groups open within the root at most; a command may ask for less
  * @param inputSlots  blocks of input under way
  * @param cacheBytes  cache of tables and objects
  * @param writeBlocks blocks in which writes gather, and Puts in flight
  * @param tagWidth    bits of a command's tag
  * @param fields      it carries out the field instructions, too ([[EngineFields]])
  * @param fieldQueue  field instructions that wait for it
  * @param looksUp     a command's arguments come one at a time, by a port of their own; else with the command
  */
case class EngineParameter(maxDepth: Int = 100, inputSlots: Int = 8, cacheBytes: Int = 8192, writeBlocks: Int = 4, tagWidth: Int = 4, fields: Boolean = false, fieldQueue: Int = 8, looksUp: Boolean = false) {
  require(maxDepth >= 1 && maxDepth <= 127, s"maxDepth must lie between 1 and 127, not $maxDepth")
  require(tagWidth >= 1, s"tagWidth must be at least 1, not $tagWidth")
  require(!fields || maxDepth == FieldInstruction.MaxDepth, s"software counts on ${FieldInstruction.MaxDepth} messages within each other, not $maxDepth")
  require(isPow2(fieldQueue) && fieldQueue >= 2, s"fieldQueue must be a power of two of at least 2, not $fieldQueue")

  /** Levels 0 (the root) to maxDepth. */
  val levelWidth: Int = log2Up(maxDepth + 1)
}
