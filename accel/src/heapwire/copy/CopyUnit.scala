package heapwire.copy

import heapwire.copy.CopyRanges.Base
import heapwire.isa.{Operation, Status}
import heapwire.memory._
import heapwire.memory.engine.MemoryEngine
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._
import spinal.lib.fsm._

/** Coherent memcpy, memset, gather and compare-and-swap ([[Operation.Copy]] and the operations behind it) on a
  * [[MemoryEngine]]. One command at a time; 6 cycles from a command to its first Get. `port` takes the commands, and
  * `bus` is the engine's TileLink master. `done` is the length (of a gather: the count), or 0 on an error.
  *
  * Statuses: BAD_COMMAND for another operation; BAD_ALIGNMENT for a swap's address that is no multiple of 4, or a
  * gather's list, destination or entry that is no multiple of 16; OUT_OF_BOUNDS for a range that wraps around the end
  * of the address space, a count from 2^28 on, an entry outside the command's bounds, or a write that the engine's
  * guard refused; BUS_FAULT for a denied request. After the first fault no further block is started. A gather still
  * checks the rest of its list.
  */
case class CopyUnit(tagWidth: Int, p: MemoryParameter) extends Component {
  val engine = MemoryEngine(p)
  val io = new Bundle {
    val port = slave(UnitPort(tagWidth))
    val bus = master(Bus(engine.node))
  }
  io.bus << engine.io.bus
  private val arguments = io.port.command.arguments.map(_.asUInt)

  val tag = Reg(UInt(tagWidth bits))
  val limit = Reg(UInt(engine.SlotWidth + 1 bits))
  val is = new Area {
    private def operation(o: Operation) = RegNextWhen(io.port.command.operation === o.code, io.port.command.fire)
    val copy = operation(Operation.Copy)
    val fill = operation(Operation.Fill)
    val gather = operation(Operation.Gather)
    val swap = operation(Operation.CompareAndSwap)
  }
  val status = Reg(Bits(Status.Width bits))
  /** The status is final. A bus fault is not: an error in the list of a gather replaces it. */
  val settled = Reg(Bool())
  val failed = status =/= Status.Ok.code
  def fail(s: Status): Unit = when(!settled) {
    status := s.code
    settled := True
  }

  val entry = Reg(UInt(32 bits))
  val ranges = new CopyRanges(p, entry)
  import ranges.{block, count, destination, destinationEnd, length, offset, origin, originEnd}
  val asking, writing = RegInit(False)
  val list = new GatherList(p, engine, is.gather, asking, origin, originEnd, entry)
  val mask = new RangeMask(p, offset(destination), offset(destinationEnd), ranges.lastDestination)
  mask.beat << engine.io.beat

  /** The word that a list entry points to may be read now, and no further block of the list is wanted. */
  val entryNext = is.gather && !list.wanted && !engine.io.putting
  ranges.base := engine.io.putting ? Base.Destination | (entryNext ? Base.Entry | Base.Origin)
  ranges.addCount := False
  engine.io.begin := False
  engine.io.from := offset(origin)
  engine.io.to := offset(destination)
  engine.io.small := is.gather
  engine.io.constant := is.fill || is.swap
  engine.io.limit := limit
  engine.io.value := (0 until 4).map(_ => origin(7 downto 0).asBits).asBits().andMask(is.fill) |
    ranges.added.asBits.andMask(is.swap)

  // Requests that are not whole blocks.
  private val wordShift = log2Up(p.wordBytes)
  engine.io.get := is.copy && asking || is.gather && list.checked && !list.bad && !failed
  engine.io.sideGet := is.gather && list.wanted
  engine.io.side := is.swap ? U(0) | list.side
  engine.io.swap := False
  engine.io.reading := is.copy && asking || !list.idle
  engine.io.writing := writing && !failed
  engine.io.mask := is.swap ? (B(15, p.wordBytes bits) |<< (origin(wordShift - 1 downto 2) << 2)).resize(p.wordBytes) |
    mask.mask
  engine.io.owned := ranges.owned
  engine.io.address := block(ranges.start) @@ ((is.swap || entryNext) ? offset(ranges.start) | U(0))

  when(engine.io.gotten && is.copy || engine.io.sideGotten && is.gather) {
    ranges.stepOrigin()
    asking clearWhen ranges.lastOrigin
  }
  when(engine.io.beat.valid && engine.io.beat.payload.andR) { ranges.stepDestination() }
  when(engine.io.written && ranges.lastDestination) { writing := False }
  list.leaves := list.checked && (list.bad || failed || engine.io.gotten)
  when(list.checked && list.misaligned) { fail(Status.BadAlignment) } elsewhen (list.checked && list.outside) {
    fail(Status.OutOfBounds)
  }
  when(engine.io.fault && !settled) { status := Status.BusFault.code }
  when(engine.io.violation) { fail(Status.OutOfBounds) }
  when(failed && is.copy) { asking := False }
  when(engine.io.sideHere.valid && engine.io.sideHere.denied) {
    asking := False
    list.listing := False
  }

  val fsm = new StateMachine {
    setEncoding(binaryOneHot)
    val idle = new State with EntryPoint
    val shorten, addOrigin, widen, addDestination, moving, expect, compare, swap, swapped, takeOld, old, report =
      new State

    idle.whenIsActive {
      length := 3
      ranges.disown()
      list.clear := True
      when(io.port.command.valid) { goto(shorten) }
    }
    // The end of a range is its start plus the length minus one: 4 * (count - 1) + 3 for a list, 16 * (count - 1) + 15
    // for the destination of a gather. Of a swap it is its address plus 3, the length from `idle`.
    shorten.whenIsActive {
      ranges.base := is.swap ? Base.Origin | Base.MinusOne
      ranges.addCount := !is.swap
      list.reset()
      when(!is.gather) { limit := CopyUnit.ReadsOfCopy }
      when(is.swap) {
        ranges.own()
        length := 0
        goto(expect)
        when(origin(1 downto 0) =/= 0) { fail(Status.BadAlignment); finish() }
      } otherwise {
        length := lengthened
        goto(addOrigin)
        when(!ranges.carry) { finish() }
        when(is.gather && count(31 downto 28) =/= 0) { fail(Status.OutOfBounds); finish() }
        when(is.gather && (origin | destination)(3 downto 0) =/= 0) { fail(Status.BadAlignment); finish() }
        when(!(is.copy || is.fill || is.gather)) { fail(Status.BadCommand); finish() }
      }
    }
    addOrigin.whenIsActive {
      ranges.base := Base.Origin
      originEnd := ranges.next
      goto(widen)
      when(ranges.carry && !is.fill) { fail(Status.OutOfBounds); finish() }
    }
    widen.whenIsActive {
      ranges.base := Base.Entry // 0 here
      length := lengthened
      goto(addDestination)
    }
    addDestination.whenIsActive {
      ranges.base := Base.Destination
      ranges.own()
      when(ranges.carry) {
        fail(Status.OutOfBounds)
        finish()
      } elsewhen (engine.io.ready) {
        length := p.blockBytes
        engine.io.begin := True
        mask.begin()
        asking := !is.fill
        list.listing := is.gather
        writing := True
        goto(moving)
      }
    }
    moving.whenIsActive {
      when((!writing || failed) && !asking && engine.io.idle && list.settled) {
        writing := False
        list.clear := True
        finish()
      }
    }
    // The two beats of a swap: the expected value, computed in place of the length, and the new value, in place of the
    // count.
    expect.whenIsActive {
      ranges.base := Base.Destination
      length := ranges.next
      goto(compare)
    }
    compare.whenIsActive {
      engine.io.swap := True
      when(engine.io.sideGotten) { goto(swap) }
    }
    swap.whenIsActive {
      ranges.addCount := True
      engine.io.swap := True
      when(engine.io.sideGotten) { goto(swapped) }
    }
    swapped.whenIsActive {
      list.first()
      when(engine.io.sideHere.valid) { goto(takeOld) }
    }
    takeOld.whenIsActive {
      list.read.valid := True
      when(list.read.fire) { goto(old) }
    }
    old.whenIsActive {
      when(list.loads) {
        list.clear := failed
        finish()
      }
    }
    // The result is the adder's sum: the count or, for a swap, the old value, which is the list's entry. The other
    // operand is 0 by now.
    report.whenIsActive {
      ranges.base := Base.Entry
      ranges.addCount := !is.swap && !failed
      when(io.port.completion.ready) { goto(idle) }
    }
    def finish(): Unit = {
      length := 0
      goto(report)
    }
  }
  /** The length minus one; for a gather, of 4 times as many bytes. */
  lazy val lengthened = is.gather ? (ranges.next(29 downto 0) @@ U(3, 2 bits)) | ranges.next

  val busy = !fsm.isActive(fsm.idle)
  io.port.command.ready := !busy
  when(io.port.command.fire) {
    tag := io.port.command.tag
    origin := arguments(0)
    destination := arguments(1)
    count := arguments(2)
    limit := arguments(3).resized
    when(arguments(3) === 0 || (arguments(3) >> engine.SlotWidth) =/= 0) { limit := engine.Slots }
    list.lower := arguments(4)
    list.upper := arguments(5)
    status := Status.Ok.code
    settled := False
  }
  io.port.completion.valid := fsm.isActive(fsm.report)
  io.port.completion.tag := tag
  io.port.completion.status := status
  io.port.completion.results.drop(1).foreach(_ := 0)
  io.port.completion.results(0) := ranges.next.asBits

  // The clock is also needed while slots are prepared after reset.
  io.port.activity.busy := busy || !engine.io.ready
  io.port.activity.tableStall := False
  io.port.activity.readStall := engine.io.starved
  io.port.activity.writeStall := engine.io.pressed
}

object CopyUnit {
  /** The most reads of a copy in flight: the best of the limits that were tried (32 was not). At 32 bits the engine has
    * fewer slots than this, and they are the limit.
    */
  val ReadsOfCopy = 24
}
