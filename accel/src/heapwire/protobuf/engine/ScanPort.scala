package heapwire.protobuf.engine

import spinal.core._
import spinal.lib._

/** Where the microprogram goes on when the scanner cannot. */
object ScanStop extends SpinalEnum {
  /** No entry is left, of a message or of a C struct; a string that is none of the usual; a field that is present: a
    * list, whose words are at hand, a message or group, whose reference may be null, and whose first word but one is
    * asked for; an array of a C struct.
    */
  val End, StructEnd, Str, Scalars, References, Message, NoMessage, Array = newElement()
  /** A list of which only the program knows whether it is where it may be. */
  val List = newElement()
  /** A required field is not there; a field is left to software; the entry makes no sense; a string of a C struct has
    * no end within the bounds.
    */
  val Missing, Unsupported, Malformed, Endless = newElement()
  /** A string that has to be UTF-8 is not. */
  val NotText = newElement()
}

/** What the scanner and the microprogram do with each other. */
case class ScanPort() extends Bundle with IMasterSlave {
  /** Entries are walked from here, up to there (addresses; taken with `set...`). */
  val address = UInt(32 bits)
  val setFrom, setEnd = Bool()
  /** Pulses: go on with the next entry; read it, and rest; walk the elements at hand, of the entry's type or of bytes,
    * with keys between them.
    */
  val scan, fetch, walk = Bool()
  /** Pulse: the field of the entry at hand, which no table has; `scan` goes on behind it. */
  val field = Bool()
  /** Level: the entry that `scan` goes on with is asked for already. */
  val scans = Bool()
  /** The string to which the word at hand refers, with its length and key. */
  val text = Bool()
  val walksBytes, walksKeys = Bool()
  /** With `walk`: as many bytes as the address's low bits say, from any address on. */
  val walksCounted = Bool()
  /** The element at hand goes to the first byte from there on that is zero. */
  val find = Bool()
  val kill = Bool()
  /** Of the entry at hand. */
  val at = UInt(32 bits)
  val busy = Bool()
  val stop = Flow(ScanStop())
  def asMaster(): Unit = {
    out(address, setFrom, setEnd, scan, scans, fetch, field, walk, text, walksBytes, walksKeys, walksCounted, find, kill)
    in(at, busy)
    slave(stop)
  }
}
