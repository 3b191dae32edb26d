package heapwire.protobuf.engine.microcode

import spinal.core._

/** Where the microprogram continues when the scanner stops. */
object ScanStop extends SpinalEnum {
  /** A string that the scanner does not write; a present field: a list
    * of scalars or of references, whose words are at hand; a message or group, whose second word has been requested; a
    * null message; an array of a C struct.
    */
  val Str, Scalars, References, Message, NoMessage, Array = newElement()
  /** A list whose position only the program can check. */
  val List = newElement()
  /** A required field is missing; a field is left to software; the entry is malformed; a string of a C struct has no
    * end within the bounds.
    */
  val Missing, Unsupported, Malformed, Endless = newElement()
  /** A string that must be UTF-8 is not. */
  val NotText = newElement()
  /** No entry is left. (The last one, since its handlers are long: see Entry.) */
  val End = newElement()
}

/** The strings that the scanner writes itself. */
object ScannedString {
  /** Bits of their length: one byte, so longer strings are recognized by the bytes above it. */
  val LengthWidth = 8
}
