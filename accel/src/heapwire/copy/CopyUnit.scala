package heapwire.copy

import heapwire.isa.{Operation, Status}
import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._
import spinal.lib.fsm._

/** A copy unit.
  *
  * @param tagWidth   bits of a command's tag
  * @param readSlots  blocks read ahead
  * @param writeSlots blocks being written
  * @param listSlots  blocks of a gather's list read ahead
  */
case class CopyParameter(tagWidth: Int = 4, readSlots: Int = 16, writeSlots: Int = 16, listSlots: Int = 4)

/** Coherent memcpy, memset, gather and compare-and-swap: [[Operation.Copy]] and
  * its neighbours. One command at a time.
  *
  * {{{
  *  list reader -> gather -+
  *                         +-> reads -> aligner -+
  *        ranges ----------+                     +-> writer
  *                            fill / swap words -+
  * }}}
  */
case class CopyUnit(c: CopyParameter, p: MemoryParameter) extends Component {
  val reader = Reader(p, c.readSlots)
  val gather = Gather(p, c.readSlots, c.listSlots)
  val aligner = Aligner(p)
  val writer = Writer(p, c.writeSlots)
  val io = new Bundle {
    val port = slave(UnitPort(c.tagWidth))
    val readBus = master(Bus(reader.queue.node))
    val gatherBuses = Vec(gather.nodes.map(node => master(Bus(node))))
    val writeBus = master(Bus(writer.node))
    val swapBus = master(Bus(CopyUnit.swapNode(p)))
  }
  io.readBus << reader.io.bus
  for (i <- gather.nodes.indices) io.gatherBuses(i) << gather.io.buses(i)
  io.writeBus << writer.io.bus

  private val wordShift = log2Up(p.wordBytes)
  private val gatherShift = log2Up(Gather.WordBytes)

  val command = Reg(UnitCommand(c.tagWidth))
  def argument(i: Int): UInt = command.arguments(i).asUInt
  val is = new Area {
    def operation(o: Operation) = command.operation === o.code
    val copy = operation(Operation.Copy)
    val fill = operation(Operation.Fill)
    val gather = operation(Operation.Gather)
    val swap = operation(Operation.CompareAndSwap)
  }
  val status = Reg(Bits(Status.Width bits))
  val result = Reg(Bits(32 bits))
  def fail(s: Status): Unit = when(status === Status.Ok.code) { status := s.code }

  // Data paths. What the writer takes is chosen by the operation.
  reader.io.command.valid := False
  reader.io.command.address := argument(0)
  reader.io.command.length := argument(2)
  aligner.io.from := argument(0).resize(wordShift)
  aligner.io.to := argument(1).resize(wordShift)
  aligner.io.length := argument(2)
  aligner.io.input << reader.io.word.throwWhen(reader.io.word.count === 0)

  gather.io.start := False
  gather.io.list := argument(0)
  gather.io.count := argument(2)
  gather.io.limit := argument(3).min(U(c.readSlots, 32 bits)).resized
  gather.io.lower := argument(4)
  gather.io.upper := argument(5)

  writer.io.command.valid := False
  writer.io.command.address := argument(1)
  writer.io.command.length := argument(2)
  when(is.gather) { writer.io.command.length := (argument(2) << gatherShift).resized }

  val constant = Stream(ReadWord(p))
  constant.valid := is.fill
  constant.error := False
  constant.data := command.arguments(0)(7 downto 0) #* p.wordBytes

  /** The shared cache compares and swaps: see [[CompareAndSwap]]. */
  val swap = new Area {
    val a = io.swapBus.a
    val second = RegInit(False)
    private val lane = argument(0)(wordShift - 1 downto 0)
    a.valid := False
    a.opcode := Opcode.A.PUT_PARTIAL_DATA
    a.param := CompareAndSwap.Param
    a.source := 0
    a.address := argument(0)
    a.size := wordShift + 1
    a.data := (second ? command.arguments(2) | command.arguments(1)) #* (p.dataWidth / 32)
    a.mask := (B(15, p.wordBytes bits) |<< lane).resized
    a.corrupt := False
    a.debugId := 0
    when(a.fire) { second := !second }
    io.swapBus.d.ready := True
    private val words = io.swapBus.d.data.subdivideIn(32 bits)
    val old = if (words.size == 1) words.head else words.read(argument(0)(wordShift - 1 downto 2))
  }
  val source = (is.copy ## is.gather).mux(
    B"10" -> U(0, 2 bits), B"01" -> U(1, 2 bits), default -> U(2, 2 bits))
  writer.io.word << StreamMux(source, Vec(aligner.io.output, gather.io.word, constant))

  val fsm = new StateMachine {
    val idle = new State with EntryPoint
    val start, moving, swapSend, swapTake, draining, report = new State

    idle.whenIsActive {
      status := Status.Ok.code
      result := 0
      when(io.port.command.valid) { goto(start) }
    }
    start.whenIsActive {
      when(is.swap) {
        when(argument(0)(1 downto 0) =/= 0) { fail(Status.BadAlignment); goto(report) } otherwise { goto(swapSend) }
      } elsewhen (is.copy || is.fill || is.gather) {
        when(is.gather && (argument(0) | argument(1)).resize(gatherShift) =/= 0) {
          fail(Status.BadAlignment)
          goto(report)
        } elsewhen (wraps) {
          fail(Status.OutOfBounds)
          goto(report)
        } otherwise {
          writer.io.command.valid := True
          reader.io.command.valid := is.copy
          gather.io.start := is.gather
          goto(moving)
        }
      } otherwise {
        fail(Status.BadCommand)
        goto(report)
      }
    }
    moving.whenIsActive {
      when(writer.io.done.valid) {
        when(writer.io.done.sourceError || writer.io.done.denied) { fail(Status.BusFault) }
        when(is.gather && gather.io.problem =/= Status.Ok.code) { status := gather.io.problem }
        result := (writer.io.done.sourceError || writer.io.done.denied) ? B(0) | command.arguments(2)
        goto(draining)
      }
    }
    swapSend.whenIsActive {
      swap.a.valid := True
      when(swap.a.fire && swap.second) { goto(swapTake) }
    }
    swapTake.whenIsActive {
      when(io.swapBus.d.valid) {
        result := swap.old
        when(io.swapBus.d.denied) {
          fail(Status.BusFault)
          result := 0
        }
        goto(report)
      }
    }
    draining.whenIsActive {
      when(reader.io.idle && gather.io.idle) { goto(report) }
    }
    report.whenIsActive {
      when(io.port.completion.ready) { goto(idle) }
    }
  }
  /** A range that runs over the end of the address space, or more bytes than it has. */
  lazy val wraps = {
    val end = BigInt(1) << 32
    val bytes = is.gather ? (argument(2) << gatherShift) | argument(2).resize(32 + gatherShift)
    val destination = (argument(1) +^ bytes) > end
    val origin = is.copy && (argument(0) +^ argument(2)) > end
    val list = is.gather && ((argument(0) +^ (argument(2) << 2)) > end || bytes >= end)
    destination || origin || list
  }

  io.port.command.ready := fsm.isActive(fsm.idle)
  when(io.port.command.fire) { command := io.port.command.payload }
  io.port.completion.valid := fsm.isActive(fsm.report)
  io.port.completion.tag := command.tag
  io.port.completion.status := status
  io.port.completion.results.drop(1).foreach(_ := 0)
  io.port.completion.results(0) := result

  val busy = !fsm.isActive(fsm.idle)
  io.port.activity.busy := busy
  io.port.activity.tableStall := False
  io.port.activity.readStall := busy && (reader.io.waiting || gather.io.waiting) && !writer.io.word.valid
  io.port.activity.writeStall := busy && writer.io.waiting
}

object CopyUnit {
  def swapNode(p: MemoryParameter): NodeParameters = p.master("swap", 1, get = true, put = true)
}
