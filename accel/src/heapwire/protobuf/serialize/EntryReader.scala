package heapwire.protobuf.serialize

import heapwire.isa.DescriptorLayout
import spinal.core._
import spinal.lib._

/** An entry and how many follow it. */
case class EntryStep() extends Bundle {
  val entry = OrderedEntry()
  val left = UInt(16 bits)
  /** The bus denied it. */
  val fault = Bool()
}

/** Streams a table's last `left` ordered entries out of the cache, one a cycle on hits. */
case class EntryReader() extends Component {
  val io = new Bundle {
    /** Starts; only while not busy. */
    val start = in Bool()
    val end = in UInt(32 bits)
    val left = in UInt(16 bits)
    val kill = in Bool()
    val entry = master(Stream(EntryStep()))
    val request = master(Flow(UInt(32 bits)))
    val hit, fault = in Bool()
    val data = in Bits(128 bits)
    val busy = out Bool()
  }
  val left = Reg(UInt(16 bits)) init 0
  val address = Reg(UInt(32 bits))
  val asked = RegInit(False)
  val step = Stream(EntryStep())
  step.valid := left =/= 0 && (asked && io.hit || io.fault)
  step.entry.bits := io.data
  step.left := left - 1
  step.fault := io.fault
  io.request.valid := left =/= 0 && !(step.fire && left === 1) && !io.kill
  io.request.payload := step.fire ? (address + DescriptorLayout.EntrySize) | address
  asked := io.request.valid
  when(step.fire) {
    left := step.fault ? U(0, 16 bits) | step.left
    address := io.request.payload
  }
  when(io.start) {
    left := io.left
    address := io.end - (io.left << 4)
  }
  when(io.kill) { left := 0 }
  // Whether a step is taken decides what is asked next: nobody's ready is waited for within the cycle.
  val waits = step.s2mPipe(flush = io.kill)
  io.entry << waits.m2sPipe(flush = io.kill)
  io.busy := left =/= 0 || waits.valid || io.entry.valid
}
