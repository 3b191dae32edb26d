package heapwire.memory

import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Bytes for an aligned word of memory; the bits of the address within the word are ignored. */
trait GatheredWord {
  val address: UInt
  val data, mask: Bits
}

/** What gathers words into blocks, and sends each block as one Put that covers the smallest
  * power-of-two range that holds what was written, with byte masks.
  *
  *  - `flush` (level): sends what is gathered.
  *  - `drop` (level): forgets what is gathered but not yet on its way, and what comes in.
  *  - `idle`: nothing is gathered and nothing in flight.
  *  - `error` (pulse): the bus denied a Put.
  *  - `streaming`: full blocks ask the shared cache not to allocate.
  */
case class GatherPort[T <: Bundle with GatheredWord](word: HardType[T], node: NodeParameters) extends Bundle {
  val write = slave(Stream(word()))
  val flush, drop, streaming = in Bool()
  val idle, error = out Bool()
  val bus = master(Bus(node))
}
