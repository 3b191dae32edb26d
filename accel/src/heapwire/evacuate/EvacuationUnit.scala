package heapwire.evacuate

import heapwire.isa.{ObjectLayout, Status}
import heapwire.memory._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._
import spinal.lib.fsm._

/** Copies what a list of references leads to out of the young spaces, as `firmware/runtime/heap/young.c` does: the same
  * objects, in the same order, to the same addresses. One command at a time.
  *
  * Arguments: `references` (8-byte aligned); `count` in bits 7..0, at most [[EvacuationUnit.StackDepth]], and the tenure
  * in bits 11..8; `old_top`; `young`, `young_limit`: the young spaces, behind the old generation; `top`, `limit` of the
  * space to which objects are copied, which lies in the young ones; `left`. Results: the tops of the space and of the
  * old generation, `left`, and on an error the object at fault.
  *
  * Each word of the list that refers to a young object becomes that object's new address. An object that is old enough,
  * or finds no room, goes to the old generation. An object whose slots find no room on the stack, or whose bitmap is a
  * long one, is copied, and its slots are left to software: the original's class word is `left`, the last such original
  * before, and then `left` is this original.
  *
  * Only the words of the list and [`old_top`, `young_limit`) are ever written: a [[WriteGuard]] is the last on the way
  * to memory. Statuses: BAD_ALIGNMENT, OUT_OF_BOUNDS (a list too long, no room in the old generation, or a write that the
  * guard refused), BAD_OBJECT (an object that contradicts its class, or reaches out of the young spaces; a reference
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
  private val lanes = p.dataWidth / 64
  private val laneWidth = log2Up(lanes)
  private def block(granule: UInt) = (granule >> blockShift).resize(29 - blockShift)
  private val arguments = io.port.command.arguments.map(_.asUInt)

  val tag = Reg(UInt(tagWidth bits))
  val status = Reg(Bits(Status.Width bits))
  // Addresses of granules, unless a name says otherwise.
  val list, oldTop, oldBase, young, youngLimit, top, limit, left, source, moved = Reg(UInt(29 bits))
  val count = Reg(UInt(8 bits))
  val tenure = Reg(UInt(ObjectLayout.Mark.AgeWidth bits))
  val misaligned = Reg(Bool())
  val listEnd = list + ((count + 1) >> 1)

  // ---- stack: a slot's word address, and the object to which it refers ----------------------------------------
  val stack = Mem(Bits(59 bits), StackDepth)
  val depth = Reg(UInt(log2Up(StackDepth) + 1 bits))
  val push = False
  val pushed = Bits(59 bits)
  pushed := 0
  stack.write(depth.resized, pushed, push)
  val popped = stack.readSync((depth - 1).resized)
  when(push) { depth := depth + 1 }

  // ---- what is read --------------------------------------------------------------------------------------------
  val stream = BlockStream(p)
  val table = ClassTable()
  stream.io.start.valid := False
  stream.io.start.payload := source
  stream.io.end := block(stream.io.start.payload)
  stream.io.extend.valid := False
  stream.io.extend.payload := block(source)
  stream.io.stop := False
  stream.io.granule.ready := False
  val granule = stream.io.granule.payload
  val isHere = stream.io.granule.valid

  val mark, klass = Reg(Bits(32 bits))
  table.io.klass := klass(31 downto 2).asUInt
  table.io.clear := io.port.command.fire
  table.io.word.valid := False
  table.io.word.payload := granule(31 downto 0)
  val facts = table.io.facts

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
  }

  // ---- what is written ------------------------------------------------------------------------------------------
  val slot = Reg(UInt(30 bits))
  val storing = RegInit(False)
  val stored = Reg(UInt(29 bits))
  val storedSlot = Reg(UInt(30 bits))
  /** A write of the state machine: a granule's address, data and byte mask, in memory words. */
  val put = new Area {
    val valid = False
    val at = UInt(29 bits)
    at := source
    val data = Bits(p.dataWidth bits)
    val mask = Bits(p.wordBytes bits)
    data := 0
    mask := 0
    val busy = RegInit(B(0, Puts bits))
    val next = Reg(UInt(log2Up(Puts) bits)) init 0
    val free = !busy(next)
    /** The write of the state machine leaves. */
    val fire = Bool()
  }
  val guard = WriteGuard(p, node, (list @@ U(0, 3 bits), listEnd @@ U(0, 3 bits)),
    (oldBase @@ U(0, 3 bits), youngLimit @@ U(0, 3 bits)))
  val a = guard.io.up
  val gets = stream.io.request.valid || hint.valid
  val puts = !gets && put.free && (storing || put.valid)
  a.valid := gets || puts
  a.opcode := gets ? Opcode.A.GET() | Opcode.A.PUT_PARTIAL_DATA()
  a.param := 0
  a.source := stream.io.request.valid ? stream.io.request.slot.resize(log2Up(2 * Puts)) |
    (hint.valid ? (U"01" @@ hint.next) | (U"1" @@ put.next))
  a.size := stream.io.request.valid ? U(log2Up(p.blockBytes), 3 bits) | U(log2Up(p.wordBytes), 3 bits)
  private val wordAddress = (storing ? (storedSlot >> 1) | put.at) >> laneWidth << (laneWidth + 3)
  a.address := gets ? ((stream.io.request.valid ? stream.io.request.block | hint.block) << (blockShift + 3)) |
    wordAddress.resize(32)
  a.data := storing ? ((stored ## B(0, 3 bits)) #* (p.dataWidth / 32)) | put.data
  a.mask := storing ? (B(15, p.wordBytes bits) |<< (storedSlot(laneWidth downto 0) << 2)) | put.mask
  a.corrupt := False
  a.debugId := 0
  stream.io.request.ready := a.ready
  put.fire := puts && a.ready && !storing
  when(puts && a.ready) {
    put.busy(put.next) := True
    put.next := put.next + 1
    storing := False
  }
  io.bus.a << guard.io.down
  private val d = io.bus.d
  d.ready := True
  when(!stream.io.request.valid && hint.valid && a.ready) {
    hint.busy(hint.next) := True
    hint.next := hint.next + 1
    hint.wanted := False
  }
  private val isHint = d.source(log2Up(2 * Puts) - 2)
  when(d.valid && !d.source.msb && isHint) { hint.busy(d.source.resize(log2Up(BlockStream.Slots))) := False }
  when(follows) {
    hint.wanted := True
    hint.block := block(popped(28 downto 0).asUInt) - HintDistance
  }
  stream.io.arrival.valid := d.valid && !d.source.msb && !isHint
  stream.io.arrival.slot := d.source.resized
  stream.io.arrival.data := d.data
  when(d.valid && d.source.msb) { put.busy(d.source.resize(log2Up(Puts))) := False }
  val fault = RegNext(d.valid && d.denied && (d.source.msb || !isHint)) init False

  // ---- the object that is copied --------------------------------------------------------------------------------
  val destination, end = Reg(UInt(29 bits))
  val copying, elements, leaving, half = Reg(Bool())
  val bits = Reg(Bits(31 bits))
  val skip = Reg(UInt(2 bits))
  val remaining = Reg(UInt(log2Up(StackDepth) + 1 bits))
  val granules = Reg(UInt(30 bits))
  val promotes = Reg(Bool())
  val held = (lanes == 2) generate Reg(Bits(64 bits))
  val heldValid = (lanes == 2) generate Reg(Bool())

  /** Writes `data` to `destination`, or keeps it until the memory word is complete. Returns whether that is done. */
  def copy(data: Bits): Bool = {
    val next = destination + 1
    val sends = if (lanes == 1) True else destination(0) || next === end
    put.at := destination
    put.valid := sends
    if (lanes == 1) {
      put.data := data
      put.mask.setAll()
    } else {
      put.data := data ## (destination(0) ? held | data)
      put.mask := destination(0) ? (B(0xff, 8 bits) ## (heldValid #* 8)) | B(0xff, 16 bits)
    }
    val done = !sends || put.fire
    when(done) {
      destination := next
      if (lanes == 2) {
        held := data
        heldValid := !destination(0)
      }
    }
    done
  }

  def refuse(s: Status): Unit = status := s.code

  val fsm = new StateMachine {
    setEncoding(binaryOneHot)
    val idle = new State with EntryPoint
    val begin, pop, header, lookUp, load, lengthen, place, aim, first, move, pause, forward, settle, report = new State
    def stop(s: Status): Unit = {
      refuse(s)
      goto(settle)
    }

    idle.whenIsActive { when(io.port.command.valid) { goto(begin) } }
    begin.whenIsActive {
      stream.io.start.payload := list
      stream.io.end := block(listEnd - 1)
      destination := list
      copying := False
      elements := True
      skip := 0
      half := False
      remaining := count.resized
      when(misaligned) { stop(Status.BadAlignment) } elsewhen (count > StackDepth || listEnd < list) {
        stop(Status.OutOfBounds)
      } elsewhen (count === 0) { goto(settle) } otherwise {
        stream.io.start.valid := True
        goto(move)
      }
    }
    pop.whenIsActive {
      source := popped(28 downto 0).asUInt
      slot := popped(58 downto 29).asUInt
      stream.io.start.payload := popped(28 downto 0).asUInt
      stream.io.start.valid := depth =/= 0
      when(depth === 0) { goto(settle) } otherwise {
        follows := True
        depth := depth - 1
        goto(header)
      }
    }
    header.whenIsActive {
      mark := granule(31 downto 0)
      klass := granule(63 downto 32)
      leaving := False
      when(isHere) {
        when(granule(1 downto 0) === ObjectLayout.Mark.Forwarded) {
          when(!storing) {
            store(granule(31 downto 3).asUInt)
            goto(pop)
          }
        } otherwise {
          stream.io.granule.ready := True
          goto(lookUp)
        }
      }
    }
    lookUp.whenIsActive {
      granules := facts.granules.resized
      stream.io.start.payload := klass(31 downto 3).asUInt
      stream.io.end := block(klass(31 downto 3).asUInt + 3 + klass(2).asUInt)
      stream.io.extend.payload := block(source + 1)
      half := klass(2)
      when(klass(1 downto 0) =/= 0) { stop(Status.BadObject) } elsewhen (!table.io.hit) {
        stream.io.start.valid := True
        goto(load)
      } elsewhen (facts.bad) { stop(Status.BadObject) } elsewhen (facts.isArray) {
        stream.io.extend.valid := True
        goto(lengthen)
      } otherwise { goto(place) }
    }
    load.whenIsActive {
      table.io.word.payload := half ? granule(63 downto 32) | granule(31 downto 0)
      stream.io.start.payload := source + 1
      when(isHere) {
        table.io.word.valid := True
        half := !half
        stream.io.granule.ready := half
        when(table.io.done) {
          stream.io.start.valid := True
          goto(lookUp)
        }
      }
    }
    lengthen.whenIsActive {
      val scaled = (granule(31 downto 0).asUInt.resize(35) << facts.shift).resize(35)
      granules := scaled(31 downto 3).resize(30) + (U"1" @@ facts.metadata.asUInt) + (scaled(2 downto 0) =/= 0).asUInt
      when(isHere) {
        goto(place)
        when(scaled(34 downto 32) =/= 0) { stop(Status.BadObject) }
      }
    }
    place.whenIsActive {
      val age = mark(ObjectLayout.Mark.AgeBit, ObjectLayout.Mark.AgeWidth bits).asUInt
      promotes := !(age < tenure && granules <= limit - top)
      // Of an object of one granule, nothing more is to be read; it may already have been passed.
      stream.io.extend.valid := granules =/= 1
      stream.io.extend.payload := block(source + granules.resize(29) - 1)
      goto(aim)
      when(granules === 0 || granules > youngLimit - source) {
        stream.io.extend.valid := False
        stop(Status.BadObject)
      }
    }
    aim.whenIsActive {
      val base = promotes ? oldTop | top
      val next = base +^ granules
      destination := base
      moved := base
      end := next.resized
      copying := True
      half := False
      if (lanes == 2) heldValid := False
      val long = facts.bitmap(31)
      val many = facts.isObjectArray && (granule(31 downto 0).asUInt > StackDepth - depth)
      val few = facts.bitmap =/= 0 && depth > StackDepth - MostReferences
      leaving := long || many || few
      bits := facts.bitmap(30 downto 0).andMask(!few && !long)
      elements := facts.isObjectArray
      remaining := granule(31 downto 0).asUInt.resize(widthOf(remaining)).andMask(!many)
      skip := facts.metadata ? U(2, 2 bits) | U(1, 2 bits)
      goto(first)
      when(promotes && next > young) { stop(Status.OutOfBounds) } otherwise {
        when(promotes) { oldTop := next.resized } otherwise {
          top := next.resized
          mark := (mark.asUInt + (1 << ObjectLayout.Mark.AgeBit)).asBits
        }
      }
    }
    first.whenIsActive {
      when(copy(klass ## mark)) {
        goto(move)
        when(destination + 1 === end) { goto(forward) }
      }
    }
    move.whenIsActive {
      val low = elements ? (skip === 0 && remaining =/= 0) | bits(0)
      val high = elements ? (skip === 0 && remaining > 1) | bits(1)
      val upper = half || !low
      val word = (upper ? granule(63 downto 32) | granule(31 downto 0)).asUInt
      val wanted = upper ? high | low
      val inside = wanted && word(31 downto 3) >= young && word(31 downto 3) < youngLimit
      pushed := (destination @@ upper @@ word(31 downto 3)).asBits
      when(isHere) {
        when(inside && word(2 downto 0) =/= 0) { stop(Status.BadObject) } elsewhen (!upper && high) {
          push := inside
          half := True
        } otherwise {
          val done = Bool()
          done := True
          when(copying) { done := copy(granule) }
          when(done) {
            push := inside
            half := False
            stream.io.granule.ready := True
            bits := bits |>> 2
            when(skip =/= 0) { skip := skip - 1 } otherwise { remaining := (remaining > 1) ? (remaining - 2) | U(0) }
            when(!copying) { destination := destination + 1 }
            when(copying && destination + 1 === end) { goto(forward) }
            when(!copying && remaining <= 2) { goto(pause) }
          }
        }
      }
    }
    // The stack's last entry is read.
    pause.whenIsActive { goto(pop) }
    forward.whenIsActive {
      put.at := source
      put.valid := !storing
      put.data := ((leaving ? (left ## B(0, 3 bits)) | klass) ## moved ## B(ObjectLayout.Mark.Forwarded, 3 bits)) #*
        lanes
      put.mask :=
        ((B(4 bits, default -> leaving) ## B"1111").resize(p.wordBytes) |<<
          (if (lanes == 1) U(0, 4 bits) else source(0).asUInt << 3))
      when(put.fire) {
        when(leaving) { left := source }
        store(moved)
        goto(pop)
      }
    }
    settle.whenIsActive {
      stream.io.stop := True
      when(
        stream.io.idle && hint.busy === 0 && !hint.wanted && put.busy === 0 && !storing && !stream.io.request.valid) {
        goto(report)
      }
    }
    report.whenIsActive { when(io.port.completion.ready) { goto(idle) } }
    def store(value: UInt): Unit = {
      storing := True
      stored := value
      storedSlot := slot
    }
    always {
      when(!isActive(idle) && !isActive(report)) {
        when(guard.io.violation) { stop(Status.OutOfBounds) }
        when(fault) { stop(Status.BusFault) }
      }
    }
  }

  val busy = !fsm.isActive(fsm.idle)
  io.port.command.ready := !busy
  when(io.port.command.fire) {
    tag := io.port.command.tag
    status := Status.Ok.code
    depth := 0
    for ((register, i) <- Seq(list -> 0, oldTop -> 2, oldBase -> 2, young -> 3, youngLimit -> 4, top -> 5, limit -> 6,
        left -> 7)) register := arguments(i) >> 3
    count := arguments(1)(7 downto 0)
    tenure := arguments(1)(11 downto 8)
    misaligned := (Seq(0) ++ (2 to 7)).map(arguments(_)(2 downto 0) =/= 0).orR
  }
  io.port.completion.valid := fsm.isActive(fsm.report)
  io.port.completion.tag := tag
  io.port.completion.status := status
  for ((value, i) <- Seq(top, oldTop, left, source).zipWithIndex)
    io.port.completion.results(i) := value ## B(0, 3 bits)
  io.port.activity.busy := busy
  io.port.activity.tableStall := fsm.isActive(fsm.load) && !isHere
  io.port.activity.readStall := busy && !isHere && !put.valid &&
    (Seq(fsm.header, fsm.load, fsm.lengthen, fsm.move).map(fsm.isActive(_)).orR)
  io.port.activity.writeStall := put.valid && !put.fire
}

object EvacuationUnit {
  /** The entries of the stack, and the most references of an object without a long bitmap, as software has them. */
  val StackDepth = 128
  val MostReferences = 31
  /** Blocks from an object down to what a hint brings: memory takes longer than most objects of one block. */
  val HintDistance = 2
  /** The most writes in flight. */
  val Puts = 8
}
