package heapwire.protobuf

import spinal.core._

/** What an executor is at. */
object ExecutorState extends SpinalEnum {
  val Idle, Check = newElement()
  /** A message begins: its table, then its object. */
  val Push, Load, Reopen = newElement()
  /** Fields. */
  val Run = newElement()
  /** A list is opened, unknown fields go to theirs, the object of a message that occurs again is looked for, the number of an enum. */
  val Enter, Keep, KeepWait, Find, Judge = newElement()
  /** Native: a struct is begun; a list is entered, its count or a oneof's which read back. */
  val Begin, EnterNative, Recall, RecallCase = newElement()
  /** ... memory for a pointer is taken; an array that is full grows, or moves. */
  val Allocate, Grow, Flush, Move = newElement()
  /** A message ends. */
  val Close, CloseWait, WriteBits, Pop = newElement()
  /** The command ends. */
  val Finish, Drain, Complete = newElement()
}

/** Which offset a fault is reported with: that of the field or message at hand, of the unknown fields that were to be kept, of the
  * bytes that are read, of the string that is copied.
  */
object FaultAt extends SpinalEnum {
  val Position, Unknown, Input, Text = newElement()
}
