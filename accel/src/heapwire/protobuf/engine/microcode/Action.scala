package heapwire.protobuf.engine.microcode

import spinal.core._

/** What is done about a field. Each action has a handler in the microprogram for managed objects and one for C structs.
  */
object Action extends SpinalEnum {
  /** Nothing: the field is an unknown scalar, or inside an unknown group. */
  val Ignore = newElement()
  /** Skips the bytes of an unknown field. */
  val SkipBytes = newElement()
  /** Stores a scalar in its slot or its list. */
  val Scalar = newElement()
  /** A packed field begins. */
  val Packed = newElement()
  /** A string or bytes; an element of a list of these. */
  val Str, StrInList = newElement()
  /** A message, or a group that is a known field, begins. */
  val Message = newElement()
  /** An unknown group begins, or any group ends. */
  val GroupStart, GroupEnd = newElement()
  /** The message ends. */
  val End = newElement()
  /** The command ends with `status`. */
  val Fail = newElement()
  /** The packed run of a field instruction ends. */
  val RunEnd = newElement()
  /** A string or bytes that stay in the input; an element of a list of these. */
  val View, ViewInList = newElement()
}
