package heapwire.memory

import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Bytes for an aligned memory word. The low bits of the address, within the word, are ignored. */
trait GatheredWord {
  val address: UInt
  val data, mask: Bits
}

/** The port of a component that gathers words into blocks, and sends each block as one Put with byte masks. The Put
  * covers the smallest power-of-two range that holds what was written.
  *
  *  - `flush` (level): sends what is gathered.
  *  - `drop` (level): discards incoming words and what is gathered but not yet sent.
  *  - `idle`: nothing is gathered and nothing is in flight.
  *  - `error` (pulse): the bus denied a Put.
  *  - `streaming`: full blocks ask the shared cache not to allocate.
  */
case class GatherPort[T <: Bundle with GatheredWord](word: HardType[T], node: NodeParameters) extends Bundle {
  val write = slave(Stream(word()))
  val flush, drop, streaming = in(Bool())
  val idle, error = out(Bool())
  val bus = master(Bus(node))
}
