package heapwire.evacuate

import heapwire.isa.{ObjectLayout, RuntimeRegister, Status}
import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._
import spinal.lib.fsm._

/** Copies what a list of references leads to out of the young spaces, as `firmware/runtime/heap/young.c` does: the same
  * objects, in the same order, to the same addresses. One command at a time.
  *
  * Arguments: `references` (8-byte aligned); `count` in bits 7..0, at most [[EvacuationUnit.StackDepth]], and the
  * tenure in bits 11..8; `old_top`; `young`, `young_limit`: the young spaces, behind the old generation; `top`,
  * `limit` of the space to which objects are copied, which lies in the young ones; `left`. Results: the tops of the
  * space and of the old generation, `left`, and on an error the object at fault.
  *
  * Each word of the list that refers to a young object becomes that object's new address. An object that is old enough,
  * or finds no room, goes to the old generation. An object whose slots find no room on the stack, or whose bitmap is a
  * long one, is copied, and its slots are left to software: the original's class word is `left`, the last such original
  * before, and then `left` is this original.
  *
  * Only the words of the list and [`old_top`, `young_limit`) are ever written: a [[WriteGuard]] is the last on the way
  * to memory. Klasses are read only within the range that the runtime registers declare. Statuses: BAD_ALIGNMENT,
  * OUT_OF_BOUNDS (a list too long, no room in the old generation, or a write that the guard refused), BAD_OBJECT (an
  * object that contradicts its class, or reaches out of the young spaces; a klass outside of its range; a reference
  * that is not aligned), BUS_FAULT. A command that fails has moved some objects.
  */
case class EvacuationUnit(tagWidth: Int, p: MemoryParameter) extends Component {
  import EvacuationUnit._
  require(p.dataWidth >= 64, s"the evacuation unit needs memory words of at least 64 bits, not ${p.dataWidth}")
  val node: NodeParameters = p.master("evacuation", 2 * Puts, get = true, put = true)
  val io = new Bundle {
    val port = slave(UnitPort(tagWidth))
    val bus = master(Bus(node))
  }
  private val blockShift = log2Up(p.blockBytes) - 3
  private val laneWidth = log2Up(p.dataWidth / 64)
  private val arguments = io.port.command.arguments.map(_.asUInt)
  private def argument(i: Int) = RegNextWhen(arguments(i) >> 3, io.port.command.fire)

  // Addresses of granules.
  val list = argument(0)
  val oldBase = argument(2)
  val young = argument(3)
  val youngLimit = argument(4)
  val limit = argument(6)
  val listEnd, end, source = Reg(UInt(29 bits))
  val status = Reg(Bits(Status.Width bits))
  val tenure = Reg(UInt(ObjectLayout.Mark.AgeWidth bits))
  /** The list is read, and not yet an object. */
  val listing = Reg(Bool())
  val metadata = Reg(Bool())
  val promotes = Reg(Bool())

  // ---- stack: a slot's word address, and the object to which it refers ----------------------------------------
  val stack = Mem(Bits(59 bits), StackDepth)
  val depth = Reg(UInt(log2Up(StackDepth) + 1 bits))
  val push = False
  val popped = stack.readSync((depth - 1).resized)
  val poppedSource = popped(28 downto 0).asUInt
  val poppedSlot = popped(58 downto 29).asUInt
  when(push) { depth := depth + 1 }

  // ---- what is read --------------------------------------------------------------------------------------------
  val stream = BlockStream(p)
  val granule = stream.io.granule.payload
  val isHere = stream.io.granule.valid
  val low = granule(31 downto 0)
  val high = granule(63 downto 32)
  stream.io.start.valid := False
  stream.io.two := False
  stream.io.extend.valid := False
  stream.io.another := False
  stream.io.granule.ready := False

  val klass = Reg(UInt(32 bits))
  val half = Reg(Bool())
  val table = ClassTable()
  table.io.klass := high(31 downto 2).asUInt
  table.io.loaded := klass >> 2
  table.io.clear := io.port.command.fire
  table.io.word.valid := False
  table.io.word.payload := half ? high | low
  val facts = table.io.facts

  // ---- addresses -----------------------------------------------------------------------------------------------
  /** An operand that comes once: an argument, what is on the stack, or the granules of an array besides those of its
    * elements. It is chosen in the cycle before.
    */
  val other = new Area {
    /** 0 before and after a command's arguments are taken. */
    val index = Reg(UInt(2 bits)) init 0
    val argument, slot, extra = False
    private val argumentWord = Vec(Seq(0, 2, 5, 7).map(arguments(_) >> 2)).read(index)
    val word = RegNext(extra ? (U"01" @@ metadata.asUInt @@ U"0").resize(30) |
      (argument ? argumentWord | (slot ? poppedSlot | (poppedSource @@ U"0"))))
  }
  /** Where the next granule of a copy goes, or where that of the list is. */
  val cursor = listing ? Place.List() | (promotes ? Place.Old() | Place.Top())
  val path = new AddressPath(low.asUInt >> 2, high.asUInt >> 2, other.word, cursor)
  import path.{granules, made, sum}
  stream.io.start.payload := path.granule
  stream.io.extend.payload := made(28 downto 0)
  /** The sum of the cycle before is the end of an object, which may be a bound; in the second case, of its copy. */
  val ending, fitting = False
  val atLimit = path.reaches(fitting ? limit | youngLimit, ending)
  val atYoung = path.reaches(young, ending)
  /** In the cycle before, a half of a granule was looked at: the higher one, and one that is not aligned. */
  val scanning = False
  val scanned = RegNext(scanning) init False
  private val scanningHigh = path.operand === Operand.High
  val scannedHigh = RegNext(scanningHigh)
  val scannedOdd = RegNext((scanningHigh ? high(2 downto 0) | low(2 downto 0)) =/= 0)
  private def result(place: Place.E) =
    RegNextWhen(sum(28 downto 0), path.keep && path.written === place) @@ U(0, 3 bits)

  // ---- what is written -----------------------------------------------------------------------------------------
  val word = new WriteWord(p, granule, sum(28 downto 0).asBits)
  word.at := path.here
  /** Loads the sum instead of what was read, with these low bits. */
  def loadSum(lowBits: Bits): Unit = {
    word.loadLow := True
    word.sumLow := True
    word.lowBits := lowBits
    word.both := True
  }
  val put = new Area {
    val busy = RegInit(B(0, Puts bits))
    val next = Reg(UInt(log2Up(Puts) bits)) init 0
    val valid = word.valid && !busy(next)
  }

  /** An object is followed. */
  val follows = False
  /** Brings what is likely to follow into the shared cache: a Get of one word, whose answer is dropped. References are
    * followed last one first, and what they refer to was mostly allocated first one first, so that is the memory below.
    */
  val hint = new Area {
    val wanted = RegInit(False)
    val block = Reg(UInt(29 - blockShift bits))
    val busy = RegInit(B(0, BlockStream.Slots bits))
    val next = Reg(UInt(log2Up(BlockStream.Slots) bits)) init 0
    val valid = wanted && !busy(next)
    when(follows) {
      wanted := True
      val of = poppedSource >> blockShift
      // The carry ends within 8 KB.
      block := (of >> 7) @@ (of(6 downto 0) - HintDistance)
    }
  }

  val guard = WriteGuard(p, node, ranges = 2, alignment = 8)
  for ((range, (base, limit)) <- guard.io.ranges.zip(Seq(list -> listEnd, oldBase -> youngLimit))) {
    range.base := base
    range.limit := limit
  }
  val a = guard.io.up
  val reads = new Area {
    val ofKlass = False
    val klassBase, klassLimit = Reg(UInt(PageWidth bits)) init 0
    private val page = stream.io.request.block >> (29 - blockShift - PageWidth)
    private def above(bound: UInt) = ((U"0" @@ bound @@ U"0") - (U"0" @@ page @@ U"1")).msb === False
    private val inside = RegNext(!above(klassBase) && (above(klassLimit) || klassLimit === 0))
    private val judged = stream.io.steady
    private val register = io.port.registers
    when(register.valid && register.index === RuntimeRegister.ClassBase.index) {
      klassBase := register.value(31 downto 32 - PageWidth).asUInt
    }
    when(register.valid && register.index === RuntimeRegister.ClassLimit.index) {
      klassLimit := register.value(31 downto 32 - PageWidth).asUInt
    }
    val refused = stream.io.request.valid && ofKlass && judged && !inside
    val allowed = !ofKlass || judged && inside
    val valid = stream.io.request.valid && allowed
  }
  val gets = reads.valid || hint.valid
  a.valid := gets || put.valid
  a.opcode := gets ? Opcode.A.GET() | Opcode.A.PUT_PARTIAL_DATA()
  a.param := 0
  a.source := reads.valid ? stream.io.request.slot.resize(log2Up(2 * Puts)) |
    (hint.valid ? (U"01" @@ hint.next) | (U"1" @@ put.next))
  a.size := reads.valid ? U(log2Up(p.blockBytes), 3 bits) | U(log2Up(p.wordBytes), 3 bits)
  a.address := gets ? ((reads.valid ? stream.io.request.block | hint.block) << (blockShift + 3)) |
    (word.address >> laneWidth << (laneWidth + 3))
  a.data := word.data
  a.mask := word.mask
  a.corrupt := False
  a.debugId := 0
  stream.io.request.ready := a.ready && reads.allowed
  when(!reads.valid && hint.valid && a.ready) {
    hint.busy(hint.next) := True
    hint.next := hint.next + 1
    hint.wanted := False
  }
  when(!gets && put.valid && a.ready) {
    put.busy(put.next) := True
    put.next := put.next + 1
    word.sent := True
  }
  io.bus.a << guard.io.down
  private val d = io.bus.d
  d.ready := True
  private val isPut = d.source.msb
  private val isHint = d.source(log2Up(2 * Puts) - 2)
  stream.io.arrival.valid := d.valid && !isPut && !isHint
  stream.io.arrival.slot := d.source.resized
  stream.io.arrival.data := d.data
  when(d.valid && isPut) { put.busy(d.source.resize(log2Up(Puts))) := False }
  when(d.valid && !isPut && isHint) { hint.busy(d.source.resize(log2Up(BlockStream.Slots))) := False }
  val fault = RegNext(d.valid && d.denied && (isPut || !isHint)) init False

  // ---- the object that is copied --------------------------------------------------------------------------------
  /** Slots that are left of an array of references or of the list, behind so many granules; or bits of an instance. */
  val remaining = Reg(UInt(log2Up(StackDepth) + 1 bits))
  val skip = Reg(UInt(2 bits))
  val bits = Reg(Bits(31 bits))
  val elements, leaving = Reg(Bool())
  /** Slots are looked at. */
  val scans = Reg(Bool())
  /** Halves of a granule that were looked at. */
  val lowDone, highDone = Reg(Bool())
  val ofReferences = Reg(Bool())
  val shift = Reg(UInt(2 bits))
  val fraction = Reg(UInt(3 bits))
  /** The last slot is still to be stored. */
  val pending = Reg(Bool())
  val misaligned = Reg(Bool())
  /** The last granule was copied. */
  val finished = Reg(Bool())

  /** Ends the command with a status, after a cycle more. */
  val failing = False
  val lookedBehind = False
  val failed = RegNext(failing) init False
  def stop(s: Status): Unit = {
    status := s.code
    failing := True
  }

  val fsm = new StateMachine {
    setEncoding(binaryOneHot)
    val idle = new State with EntryPoint
    val take, begin, pause, rest, pop, value, store, follow, prepare, header, aged, miss, load, again, overflow,
        lengthen, scale, reach, fit, commit, move, chain, leave, forward, settle, report = new State
    /** Moves the cursor on, whose granule is complete. */
    def advance(writes: Bool): Unit = {
      path.keep := True
      word.place := writes
      finished := writes && path.is(end)
    }

    idle.whenIsActive {
      other.argument := True
      granules := 0
      when(io.port.command.valid) {
        other.index := 1
        goto(take)
      }
    }
    take.whenIsActive {
      other.argument := True
      path.operand := Operand.Other
      path.keep := True
      path.written.assignFromBits((other.index - 1).resize(widthOf(path.written)).asBits)
      listing := True
      when(other.index === 0) { goto(begin) } otherwise { other.index := other.index + 1 }
    }
    begin.whenIsActive {
      pending := False
      elements := True
      scans := True
      skip := 0
      lowDone := False
      highDone := False
      finished := False
      word.drop()
      when(misaligned) { stop(Status.BadAlignment) } elsewhen (remaining > StackDepth) {
        stop(Status.OutOfBounds)
      } elsewhen (remaining === 0) { goto(settle) } otherwise {
        stream.io.start.valid := True
        goto(move)
      }
    }
    // The stack's last entry is read.
    pause.whenIsActive { goto(rest) }
    rest.whenIsActive { goto(pop) }
    // The next object is asked for, once the forwarding address of the one before has left.
    pop.whenIsActive {
      path.operand := Operand.Other
      path.written := Place.Source
      when(word.ready) {
        path.keep := depth =/= 0
        stream.io.start.valid := depth =/= 0
        when(depth =/= 0) {
          source := poppedSource
          follows := True
        }
        other.slot := True
        when(pending) { goto(value) } elsewhen (depth === 0) { goto(settle) } otherwise { goto(follow) }
      }
    }
    // The slot that led to the object before is stored.
    value.whenIsActive {
      other.slot := True
      path.read := Place.Moved
      loadSum(B"000")
      word.loadHigh := True
      word.sumHigh := True
      goto(store)
    }
    store.whenIsActive {
      other.slot := True
      path.read := Place.Slot
      word.place := True
      word.flush := True
      word.halves := path.here(0) ? B"10" | B"01"
      pending := False
      when(depth === 0) { goto(settle) } otherwise { goto(follow) }
    }
    follow.whenIsActive {
      path.operand := Operand.Other
      path.keep := True
      path.written := Place.Slot
      depth := depth - 1
      promotes := False
      goto(prepare)
    }
    prepare.whenIsActive {
      path.keep := True
      path.written := Place.Moved
      goto(header)
    }
    header.whenIsActive {
      val long = facts.bitmap(31)
      val few = facts.bitmap =/= 0 && depth > StackDepth - MostReferences
      val old = low(ObjectLayout.Mark.AgeBit, ObjectLayout.Mark.AgeWidth bits).asUInt >= tenure
      path.operand := Operand.Low
      path.next := !promotes && low(1 downto 0) =/= ObjectLayout.Mark.Forwarded
      path.written := Place.Moved
      klass := high.asUInt
      half := high(2)
      bits := facts.bitmap(30 downto 0)
      leaving := !facts.isArray && (long || few)
      scans := facts.isArray ? facts.ofReferences | !(long || few)
      ofReferences := facts.ofReferences
      metadata := facts.metadata
      shift := facts.shift
      elements := facts.isArray
      when(isHere) {
        when(low(1 downto 0) === ObjectLayout.Mark.Forwarded) {
          path.keep := True
          pending := True
          goto(pop)
        } elsewhen (!table.io.hit) {
          when(high(1 downto 0) =/= 0) { stop(Status.BadObject) } otherwise { goto(miss) }
        } elsewhen (old && !promotes) {
          promotes := True
          goto(aged)
        } elsewhen (word.ready) {
          loadSum(low(2 downto 0))
          word.loadHigh := True
          granules := (facts.granules.asBits.andMask(!facts.isArray)).asUInt.resized
          stream.io.granule.ready := True
          when(facts.isArray) { goto(lengthen) } otherwise { goto(reach) }
        }
      }
    }
    aged.whenIsActive {
      path.keep := True
      path.written := Place.Moved
      goto(header)
    }
    miss.whenIsActive {
      path.operand := Operand.High
      stream.io.start.valid := True
      stream.io.two := klass(blockShift + 2 downto 2) > (p.blockBytes - 32) / 4
      goto(load)
    }
    load.whenIsActive {
      reads.ofKlass := True
      when(reads.refused) { stop(Status.BadObject) }
      when(isHere) {
        table.io.word.valid := True
        half := !half
        stream.io.granule.ready := half
        when(table.io.bad) { stop(Status.BadObject) }
        when(table.io.done) { goto(again) }
      }
    }
    again.whenIsActive {
      path.read := Place.Source
      stream.io.start.valid := True
      goto(header)
    }
    // Elements' bytes become granules: doubled as often as the klass says.
    lengthen.whenIsActive {
      other.extra := True
      fraction := low(2 downto 0).asUInt
      skip := metadata ? U(2, 2 bits) | U(1, 2 bits)
      when(isHere) {
        path.operand := Operand.Low
        granules := sum.resized
        when(ofReferences) {
          val many = low(31 downto 8) =/= 0 || (low(7 downto 0).asUInt +^ depth) > StackDepth
          leaving := many
          scans := !many
        }
        remaining := low(7 downto 0).asUInt
        goto(scale)
      } otherwise {
        // The length may be in the next block.
        path.read := Place.Source
        path.next := True
        lookedBehind := True
        when(RegNext(lookedBehind) init False) {
          stream.io.another := stream.io.ahead === 0 && !stream.io.request.valid
          when(atLimit) {
            stream.io.another := False
            stop(Status.BadObject)
          }
        }
      }
    }
    scale.whenIsActive {
      other.extra := True
      path.operand := Operand.Other
      path.next := fraction =/= 0
      when(shift =/= 0) {
        shift := shift - 1
        granules := (granules @@ fraction.msb).resized
        fraction := fraction |<< 1
      } otherwise {
        granules := sum.resized
        goto(reach)
      }
      // From 2 GB on, no object is in the young spaces.
      when(granules.msb) { stop(Status.BadObject) }
    }
    reach.whenIsActive {
      path.read := Place.Source
      goto(fit)
    }
    fit.whenIsActive {
      ending := True
      end := sum.resized
      granules := 0
      stream.io.extend.valid := !atLimit
      when(atLimit) { stop(Status.BadObject) }
      goto(commit)
    }
    commit.whenIsActive {
      ending := True
      fitting := True
      path.next := True
      path.written := cursor
      when(!(promotes ? atYoung | atLimit)) {
        advance(True)
        goto(move)
      } elsewhen (promotes) { stop(Status.OutOfBounds) } otherwise { goto(overflow) }
    }
    // It is read again, and goes to the old generation.
    overflow.whenIsActive {
      path.read := Place.Source
      stream.io.start.valid := True
      promotes := True
      goto(aged)
    }
    move.whenIsActive {
      val inElements = elements && skip === 0
      val lowWanted = scans && !lowDone && (inElements && remaining =/= 0 || !elements && bits(0))
      val highWanted = scans && !highDone && (inElements && remaining(7 downto 1) =/= 0 || !elements && bits(1))
      path.written := cursor
      path.next := !(lowWanted || highWanted) && !finished
      when(finished) { path.read := Place.Moved }
      when(scanned && atYoung && !atLimit) {
        push := True
        when(scannedOdd) { stop(Status.BadObject) }
      }
      when(finished) {
        word.flush := word.open
        when(word.ready && !word.open) {
          finished := False
          loadSum(B(ObjectLayout.Mark.Forwarded, 3 bits))
          when(leaving) { goto(chain) } otherwise { goto(forward) }
        }
      } elsewhen (lowWanted || highWanted) {
        path.operand := lowWanted ? Operand.Low() | Operand.High()
        scanning := isHere
        when(isHere) {
          lowDone := True
          highDone setWhen (!lowWanted)
        }
      } elsewhen (isHere && (listing || word.ready)) {
        advance(!listing)
        stream.io.granule.ready := True
        word.loadLow := !listing
        word.loadHigh := !listing
        lowDone := False
        highDone := False
        bits := bits |>> 2
        when(skip =/= 0) { skip := skip - 1 } elsewhen (remaining(7 downto 1) =/= 0) {
          remaining(7 downto 1) := remaining(7 downto 1) - 1
        } otherwise { remaining(0) := False }
        when(listing) {
          when(remaining <= 2) {
            listing := False
            listEnd := sum.resized
            goto(pause)
          }
        }
      }
      // Besides the blocks ahead, the granule that is offered may be left.
      stream.io.another := listing && !stream.io.request.valid &&
        (stream.io.ahead === 0 && remaining > 2 || stream.io.ahead === 1 && remaining > p.blockBytes / 4 + 2)
    }
    chain.whenIsActive {
      path.read := Place.Left
      word.loadHigh := True
      word.sumHigh := True
      word.both := True
      goto(leave)
    }
    leave.whenIsActive {
      path.read := Place.Source
      path.keep := True
      path.written := Place.Left
      goto(forward)
    }
    forward.whenIsActive {
      path.read := Place.Source
      word.place := True
      word.flush := True
      word.halves := leaving ## True
      pending := True
      goto(pop)
    }
    settle.whenIsActive {
      hint.wanted := False
      when(stream.io.idle && hint.busy === 0 && put.busy === 0 && !word.valid) { goto(report) }
    }
    report.whenIsActive { when(io.port.completion.ready) { goto(idle) } }
    always { when(failed && !isActive(idle) && !isActive(report)) { goto(settle) } }
  }
  when(!fsm.isActive(fsm.idle) && !fsm.isActive(fsm.take) && !fsm.isActive(fsm.report)) {
    when(guard.io.violation) { stop(Status.OutOfBounds) }
    when(fault) { stop(Status.BusFault) }
  }
  stream.io.stop := failed || fsm.isActive(fsm.settle)
  stack.write(depth.resized, path.here(29 downto 1) ## scannedHigh ## made(28 downto 0), push)

  val busy = !fsm.isActive(fsm.idle)
  io.port.command.ready := fsm.isActive(fsm.take) && other.index === 0
  when(io.port.command.fire) {
    status := Status.Ok.code
    depth := 0
    remaining := arguments(1)(7 downto 0)
    tenure := arguments(1)(11 downto 8)
    misaligned := (Seq(0) ++ (2 to 7)).map(arguments(_)(2 downto 0) =/= 0).orR
  }
  io.port.completion.valid := fsm.isActive(fsm.report)
  io.port.completion.tag := RegNextWhen(io.port.command.tag, io.port.command.fire)
  io.port.completion.status := status
  for ((value, i) <- Seq(result(Place.Top), result(Place.Old), result(Place.Left), source @@ U(0, 3 bits)).zipWithIndex)
    io.port.completion.results(i) := value.asBits
  io.port.activity.busy := busy
  io.port.activity.tableStall := fsm.isActive(fsm.load) && !isHere
  io.port.activity.readStall := !isHere && !word.valid &&
    (Seq(fsm.header, fsm.load, fsm.lengthen, fsm.move).map(fsm.isActive(_)).orR)
  io.port.activity.writeStall := word.valid && !word.sent
}

object EvacuationUnit {
  /** The entries of the stack, and the most references of an object without a long bitmap, as software has them. */
  val StackDepth = 128
  val MostReferences = 31
  /** Blocks from an object down to what a hint brings: memory takes longer than most objects of one block. */
  val HintDistance = 2
  /** The most writes in flight. */
  val Puts = 8
  /** The bits of an address that tell the 4 KB with klasses. */
  val PageWidth = 20
}
