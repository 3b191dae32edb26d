package heapwire.cereal

import heapwire.cereal.road._
import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** Reads a section of a stream, memory words in order.
  *
  * With `prefetch` it is a [[Reader]]: up to `slots` blocks are in flight. Without, a block is requested only when its
  * first word is wanted (`word.ready`): this is the paper's unit without pipelining. `last` then marks the end of a
  * block, so users must count words. Handshake and `abort` are those of [[Reader]].
  */
case class SectionReader(p: MemoryParameter, slots: Int, prefetch: Boolean) extends Component {
  val reader = Reader(p, slots)
  val node: NodeParameters = reader.queue.node
  val io = new Bundle {
    val command = slave(Stream(ByteRange(p)))
    val word = master(Stream(RangeWord(p)))
    val abort = in(Bool())
    val idle = out(Bool())
    val waiting = out(Bool())
    val bus = master(Bus(node))
  }
  io.bus << reader.io.bus
  reader.io.abort := io.abort
  io.waiting := reader.io.waiting
  io.word << reader.io.word

  if (prefetch) {
    reader.io.command << io.command
    io.idle := reader.io.idle
  } else {
    val range = Reg(ByteRange(p))
    val left = RegInit(False)
    val busy = RegInit(False)
    val toEnd = U(p.blockBytes) - range.address(p.blockRange)
    val length = range.length.min(toEnd.resize(p.addressWidth))
    io.command.ready := !left && !busy && !io.abort
    when(io.command.fire) {
      range := io.command.payload
      left := io.command.length =/= 0
    }
    reader.io.command.valid := left && !busy && io.word.ready && !io.abort
    reader.io.command.address := range.address
    reader.io.command.length := length
    when(reader.io.command.fire) {
      busy := True
      range.address := range.address + length
      range.length := range.length - length
      left := range.length =/= length
    }
    when(io.word.fire && io.word.last) { busy := False }
    when(io.abort) {
      left := False
      busy := False
    }
    io.idle := !left && !busy && reader.io.idle
  }
}
