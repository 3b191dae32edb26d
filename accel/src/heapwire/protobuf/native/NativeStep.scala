package heapwire.protobuf.native

import heapwire.isa.DescriptorLayout
import heapwire.protobuf.{TableEntry, TypeFacts}
import spinal.core._

/** How a C struct has a field. Its presence offset is the step's case offset. */
case class NativeStep() extends Bundle {
  val pointer, fixedCount, fixedLength = Bool()
  /** A string, not bytes. */
  val isText = Bool()
  val isMessage, isString = Bool()
  /** There is a has-flag. */
  val hasFlag = Bool()
  val elementSize, maxCount = UInt(16 bits)
}

object NativeStep {
  def apply(entry: TableEntry, facts: TypeFacts): NativeStep = {
    val step = NativeStep()
    step.pointer := entry.pointer
    step.fixedCount := entry.fixedCount
    step.fixedLength := entry.fixedLength
    step.isText := facts.isText
    step.isMessage := facts.isMessage
    step.isString := facts.isString
    step.hasFlag := !entry.repeated && entry.presence === DescriptorLayout.Presence.Hasbit
    step.elementSize := entry.elementSize
    step.maxCount := entry.maxCount
    step
  }
}
