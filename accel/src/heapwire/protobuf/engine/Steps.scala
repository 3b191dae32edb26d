package heapwire.protobuf.engine

import heapwire.protobuf.engine.message._
import heapwire.protobuf.engine.microcode._
import spinal.core._
import spinal.lib._

/** Steps that take one or two writes, or none, and no instruction. */
class Steps(execution: Execution, message: OpenMessage, current: CurrentField, list: OpenList, hasbits: MessageHasbits,
    stores: Stores) extends Area {
  import current.{entry, presenceDue, step}
  import execution._
  import message.native
  private val here = current.stepping && current.stepValid
  private val noUnknownList = message.context.noUnknown || native
  private val ignored = step.action === Action.Ignore && noUnknownList
  private val skipped = step.action === Action.SkipBytes && (noUnknownList && !message.skipping)
  private val known = !step.checkEnum || is(Flag.judged) && is(Flag.declared)
  private val scalar =
    step.action === Action.Scalar && known && (entry.repeated ? list.takes | !(native && entry.pointer))
  // An element waits until the state of the list includes the previous element.
  current.stores := here && scalar && (entry.repeated ? !list.grew | hasbits.targetReady)
  current.stored := current.stores && !presenceDue && stores.ready
  /** The bytes of the current step are skipped. `slow`: the program is to carry it out. */
  val skips = here && skipped
  private val passed = here && (ignored || skipped)
  val slow = here && !scalar && !ignored && !skipped
  when(current.stores && presenceDue && stores.ready) { flags(Flag.presenceDone.index) := True }
  // An instruction that accepts the step takes nothing from it if it may wait, so the step may be released in the
  // instruction's first cycle.
  current.stepTaken := current.stored || passed || active && fresh && is(Kind.accepts)
  when(current.stepTaken) {
    for (flag <- Seq(Flag.judged, Flag.declared, Flag.presenceDone)) flags(flag.index) := False
  }
}
