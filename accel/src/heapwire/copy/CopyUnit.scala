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
    val lock = master(LockPort())
    val readBus = master(Bus(reader.queue.node))
    val gatherBuses = Vec(gather.nodes.map(node => master(Bus(node))))
    val writeBus = master(Bus(writer.node))
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
  when(is.swap) {
    writer.io.command.address := argument(0)
    writer.io.command.length := 4
  }

  val constant = Stream(ReadWord(p))
  constant.valid := is.fill || is.swap
  constant.error := False
  constant.data := is.fill ? (command.arguments(0)(7 downto 0) #* p.wordBytes) | (command.arguments(2) #* (p.dataWidth / 32))
  val source = (is.copy ## is.gather).mux(
    B"10" -> U(0, 2 bits), B"01" -> U(1, 2 bits), default -> U(2, 2 bits))
  writer.io.word << StreamMux(source, Vec(aligner.io.output, gather.io.word, constant))

  val fsm = new StateMachine {
    val idle = new State with EntryPoint
    val start, moving, lock, swapRead, swapTake, swapWrite, draining, report = new State

    idle.whenIsActive {
      status := Status.Ok.code
      result := 0
      when(io.port.command.valid) { goto(start) }
    }
    start.whenIsActive {
      when(is.swap) {
        when(argument(0)(1 downto 0) =/= 0) { fail(Status.BadAlignment); goto(report) } otherwise { goto(lock) }
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
    lock.whenIsActive {
      when(io.lock.granted) { goto(swapRead) }
    }
    swapRead.whenIsActive {
      reader.io.command.valid := True
      reader.io.command.length := 4
      when(reader.io.command.ready) { goto(swapTake) }
    }
    swapTake.whenIsActive {
      aligner.io.input.valid := False
      reader.io.word.ready := True
      when(reader.io.word.valid) {
        val old = reader.io.word.data.subdivideIn(32 bits).read(argument(0)(wordShift - 1 downto 2))
        result := old
        when(reader.io.word.error) {
          fail(Status.BusFault)
          goto(draining)
        } elsewhen (old === command.arguments(1)) {
          goto(swapWrite)
        } otherwise {
          goto(draining)
        }
      }
    }
    val written = RegInit(False)
    swapWrite.whenIsActive {
      writer.io.command.valid := !written
      written setWhen writer.io.command.fire
      when(writer.io.done.valid) {
        written := False
        goto(draining)
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
  io.lock.request := fsm.isActive(fsm.lock) || fsm.isActive(fsm.swapRead) || fsm.isActive(fsm.swapTake) || fsm.isActive(fsm.swapWrite)

  val busy = !fsm.isActive(fsm.idle)
  io.port.activity.busy := busy
  io.port.activity.tableStall := False
  io.port.activity.readStall := busy && (reader.io.waiting || gather.io.waiting) && !writer.io.word.valid
  io.port.activity.writeStall := busy && writer.io.waiting
}
