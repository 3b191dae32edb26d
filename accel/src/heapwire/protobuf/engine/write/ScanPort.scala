package heapwire.protobuf.engine.write

import heapwire.protobuf.engine.microcode.ScanStop
import spinal.core._
import spinal.lib._

/** The interface between the scanner (slave) and the microprogram (master). */
case class ScanPort() extends Bundle with IMasterSlave {
  /** Address of the first ordered entry, and of the end of the entries; taken with `setFrom` and `setEnd`. */
  val address = UInt(32 bits)
  val setFrom, setEnd = Bool()
  /** Pulses: continues with the next entry; reads the next entry and rests; walks the current elements, with the
    * entry's type or as bytes, with or without keys between them.
    */
  val scan, fetch, walk = Bool()
  /** Pulse: writes the field of the current entry, which is in no table. `scan` would continue behind it. */
  val field = Bool()
  /** Level: the entry with which `scan` will continue may be requested already. */
  val scans = Bool()
  /** Writes the string to which the current word refers, with its length and key. */
  val text = Bool()
  val walksBytes, walksKeys = Bool()
  /** With `walk`: the low bits of `address` are the number of bytes, which may begin at any address. */
  val walksCounted = Bool()
  /** Moves the current element to the first zero byte at or above it. */
  val find = Bool()
  val kill = Bool()
  /** Address of the current entry. */
  val at = UInt(32 bits)
  val busy = Bool()
  val stop = Flow(ScanStop())
  /** Why it stops, if it stops in this cycle for a common reason; from registers. */
  val likely = ScanStop()
  def asMaster(): Unit = {
    out(address, setFrom, setEnd, scan, scans, fetch, field, walk, text, walksBytes, walksKeys, walksCounted, find,
      kill)
    in(at, busy, likely)
    slave(stop)
  }
}
