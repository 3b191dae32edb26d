package heapwire.core

import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._
import spinal.lib.bus.misc.SizeMapping
import spinal.lib.bus.tilelink._
import vexriscv.ip.{InstructionCacheConfig, InstructionCacheMemBus}

object InstructionBridge {
  def node(p: MemoryParameter): NodeParameters = p.master("instructions", sources = 1, get = true)
}

/** Carries the instruction cache's refills to main memory or, outside of it, to the peripheral port. One line at a
  * time; memory words come in order. Request and response pass a register. An error on either side becomes an
  * instruction access fault.
  */
case class InstructionBridge(
    p: MemoryParameter, cache: InstructionCacheConfig, mapping: SizeMapping) extends Component {
  val io = new Bundle {
    val bus = slave(InstructionCacheMemBus(cache))
    val memory = master(Bus(InstructionBridge.node(p)))
    val peripheral = master(PeripheralBus())
    val idle = out Bool ()
  }
  val command = io.bus.cmd.m2sPipe()
  val inMemory = mapping.hit(command.address)
  val outside = StreamDemux(command, (!inMemory).asUInt, 2)

  io.memory.a.arbitrationFrom(outside(0))
  io.memory.a.opcode := Opcode.A.GET()
  io.memory.a.param := 0
  io.memory.a.source := 0
  io.memory.a.address := command.address
  io.memory.a.size := log2Up(cache.bytePerLine)
  if (io.memory.p.withDataA) {
    io.memory.a.mask.setAll()
    io.memory.a.data := 0
    io.memory.a.corrupt := False
  }
  io.memory.d.ready := True

  io.peripheral.cmd.arbitrationFrom(outside(1))
  io.peripheral.cmd.write := False
  io.peripheral.cmd.line := True
  io.peripheral.cmd.address := command.address
  io.peripheral.cmd.data := 0
  io.peripheral.cmd.mask := 0
  private val answered = io.memory.d.valid || io.peripheral.rsp.valid
  io.bus.rsp.valid := RegNext(answered) init False
  io.bus.rsp.data := RegNextWhen(io.memory.d.data, answered)
  io.bus.rsp.error := RegNextWhen(io.memory.d.valid ? io.memory.d.denied | io.peripheral.rsp.error, answered)

  val beats = cache.bytePerLine / p.wordBytes
  val left = RegInit(U(0, log2Up(beats + 1) bits))
  when(command.fire) { left := beats } elsewhen (io.bus.rsp.valid) { left := left - 1 }
  io.idle := RegNext(left === 0 && !command.valid && !io.bus.cmd.valid) init False
}
