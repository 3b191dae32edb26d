package heapwire.protobuf.fields

import heapwire.isa._
import heapwire.memory._
import heapwire.protobuf.TypeFacts
import heapwire.protobuf.serialize._
import spinal.core._
import spinal.lib._

/** Turns `serfield` into operations for the road from objects to bytes, one a
  * cycle: reads slots ahead, checks what can be checked before the objects are
  * known, and takes lists of strings apart.
  *
  * A fault becomes an operation in its turn, so the first one counts. A list of
  * strings is followed once the fields before it have left.
  */
case class FieldLoader(p: SerializerParameter, m: MemoryParameter) extends Component {
  val io = new Bundle {
    val field = slave(Stream(FieldRequest()))
    val op = master(Stream(Op()))
    val bounds = in(HeapBounds())
    val unknownFields = in UInt (32 bits)
    val request = master(Stream(CachedRead(m)))
    val word = slave(Stream(CachedWord(m)))
    /** A sequence opens. */
    val start = in Bool()
    /** The sequence ends (pulse, only while not busy). */
    val end = in Bool()
    val busy = out Bool()
    val kill = in Bool()
  }
  import ObjectLayout.{Array => ArrayObject, ArrayList}

  /** Messages that are open. */
  val depth = Reg(UInt(log2Up(p.maxDepth + 2) bits))

  case class Pending() extends Bundle {
    val op = Op()
    val asked, isReference, isStrings = Bool()
    /** Of the slot, in its 16 bytes. */
    val lane = UInt(4 bits)
  }
  val decode = new Area {
    val function = io.field.function
    val code = function(4 downto 0).asUInt
    val facts = TypeFacts(code)
    val repeated = function(FieldInstruction.RepeatedBit)
    val flag = function(FieldInstruction.FlagBit)
    val raw = code === FieldInstruction.Raw && !repeated && !flag
    val nests = (facts.isMessage || facts.isGroup) && !repeated
    val scalar = facts.packable
    val slot = io.field.rs1.asUInt
    val number = io.field.rs2.asUInt
    val isReference = raw || repeated || facts.isString
    val size = isReference ? U(4, 4 bits) | (U(1, 4 bits) |<< facts.log2Size)
    val outside = slot < io.bounds.bound || (slot +^ size) > io.bounds.limit.resize(33)
    val misaligned = (slot(2 downto 0) & (size - 1).resize(3)) =/= 0
    val wireType = Bits(3 bits)
    wireType := facts.wireType
    when(scalar && repeated && flag) { wireType := 2 }
    when(facts.isGroup && flag) { wireType := 4 }

    val legal = raw || facts.isString || nests || scalar && !(flag && !repeated)
    val result = Pending()
    val reads = raw || facts.isString || scalar
    result.asked := reads
    result.isReference := isReference
    result.isStrings := facts.isString && repeated
    result.lane := slot.resized
    result.op.assignDontCare()
    result.op.kind := OpKind.Scalar
    result.op.key := io.field.rs2(28 downto 0) ## wireType
    result.op.encoding := Encoding(code)
    result.op.packed := flag
    result.op.checked := flag
    result.op.optional := False
    result.op.direct := False
    result.op.origin := slot
    when(facts.isString || raw) {
      result.op.kind := raw ? OpKind.Raw | OpKind.Text
      result.op.encoding.log2Size := 0
    } elsewhen (repeated) {
      result.op.kind := OpKind.Array
    }
    when(nests) {
      result.op.kind := OpKind.Key
      when(facts.isMessage) { result.op.kind := flag ? OpKind.Mark | OpKind.Close }
    }
    val opens = nests && facts.isMessage && flag
    val closes = nests && facts.isMessage && !flag
    when(!legal || closes && depth === 0) {
      fail(Status.BadCommand)
    } elsewhen (!raw && number === 0) {
      fail(Status.FieldNumberZero)
    } elsewhen (number >> 29 =/= 0) {
      fail(Status.BadCommand)
    } elsewhen (reads && misaligned) {
      fail(Status.BadAlignment)
    } elsewhen (reads && outside) {
      fail(Status.OutOfBounds)
    } elsewhen (opens && depth === p.maxDepth) {
      fail(Status.DepthExceeded)
    }
    private def fail(status: Status): Unit = {
      result.op.fail(status, slot)
      result.asked := False
    }
  }

  // ---- slots are asked for ------------------------------------------------------
  object State extends SpinalEnum { val Fields, List, Head, Elements = newElement() }
  val state = RegInit(State.Fields)
  val pending = StreamFifo(Pending(), p.fieldsAhead, latency = 1)
  pending.io.flush := io.kill
  /** A list of strings is under way: nothing behind it is looked at. */
  val strings = RegInit(False)

  val plan = io.field.haltWhen(strings).translateWith(decode.result)
  val wanted = plan.asked
  val endOp = RegInit(False)
  endOp setWhen io.end clearWhen (io.start || io.kill)
  val ask = io.request
  ask.valid := plan.valid && wanted && pending.io.push.ready
  ask.address := io.field.rs1.asUInt
  ask.streaming := False
  pending.io.push.valid := plan.valid && (!wanted || ask.ready)
  pending.io.push.payload := plan.payload
  plan.ready := pending.io.push.ready && (!wanted || ask.ready)
  when(plan.fire) {
    when(decode.opens) { depth := depth + 1 }
    when(decode.closes) { depth := depth - 1 }
    when(plan.isStrings && wanted) { strings := True }
  }

  // ---- and come back -----------------------------------------------------------
  val result = Stream(Op())
  val top = pending.io.pop.payload
  val here = pending.io.pop.valid && (!top.asked || io.word.valid)
  val granule = io.word.eight(top.lane)
  val value = granule |>> (top.lane(2 downto 0) << 3)
  val low = value(31 downto 0).asUInt
  result.valid := False
  result.payload := top.op
  pending.io.pop.ready := False
  io.word.ready := False

  /** The list of strings: the array list, its array, the word of elements whose turn it is. */
  val list = new Area {
    val op = Reg(Op())
    val at = Reg(UInt(32 bits))
    val left = Reg(UInt(32 bits))
    val asked = RegInit(False)
    val element = io.word.four(at).asUInt
    /** The string whose turn it is. */
    val string = CombInit(op).allowOverride()
    string.value := element.asBits.resize(64)
    val half = io.word.eight(at)
    val count = half(31 downto 0).asUInt
    val array = half(63 downto 32).asUInt
    /** The next word of elements is asked for with the last one of this one's. */
    val lastOfWord = at(PathWord.shift(m) - 1 downto 2) === 0 || left === 1
  }
  private def failing(op: Op, status: Status): Op = {
    val end = CombInit(op).allowOverride()
    end.fail(status, op.origin)
    end
  }
  private def finish(): Unit = {
    strings := False
    state := State.Fields
  }

  switch(state) {
    is(State.Fields) {
      when(here) {
        result.valid := True
        pending.io.pop.ready := result.ready
        io.word.ready := top.asked && result.ready
        when(top.asked) {
          when(io.word.error) {
            result.payload := failing(top.op, Status.BusFault)
          } elsewhen (!top.isReference) {
            result.value := value
          } elsewhen (top.isStrings) {
            result.valid := low =/= 0 && !io.bounds.hold(low, U(ArrayList.Size, 32 bits))
            result.payload := failing(top.op, Status.BadObject)
            when(!result.valid) {
              pending.io.pop.ready := True
              io.word.ready := True
              list.op := top.op
              list.at := low + ArrayList.Count
              list.asked := False
              when(low === 0) { strings := False } otherwise { state := State.List }
            }
          } elsewhen (low === 0 && top.op.kind === OpKind.Text) {
            // An empty string.
            result.kind := OpKind.Scalar
            result.value := 0
          } otherwise {
            result.value := low.asBits.resize(64)
            // No list, or the list of no unknown fields.
            when(top.op.kind =/= OpKind.Text && (low === 0 || top.op.kind === OpKind.Raw && low === io.unknownFields)) {
              result.valid := False
              pending.io.pop.ready := True
              io.word.ready := True
            }
          }
        }
      } elsewhen (endOp && !io.field.valid && !pending.io.pop.valid) {
        result.valid := True
        result.kind := OpKind.End
        when(depth =/= 0) { result.payload := failing(top.op, Status.BadCommand) }
        when(result.ready) { endOp := False }
      }
    }
    is(State.List) {
      when(io.word.valid) {
        result.payload := failing(list.op, Status.BadObject)
        when(io.word.error) { result.payload := failing(list.op, Status.BusFault) }
        result.valid := io.word.error || list.count =/= 0 && !io.bounds.hold(list.array, U(ArrayObject.Elements, 32 bits))
        io.word.ready := !result.valid || result.ready
        list.left := list.count
        list.at := list.array + ArrayObject.Length
        when(io.word.ready) {
          list.asked := False
          state := State.Head
          when(list.count === 0 || result.valid) { finish() }
        }
      }
    }
    is(State.Head) {
      when(io.word.valid) {
        val first = list.at - ArrayObject.Length + ArrayObject.Elements
        val end = first.resize(35) + (list.left << 2)
        result.payload := failing(list.op, Status.BadObject)
        when(io.word.error) { result.payload := failing(list.op, Status.BusFault) }
        result.valid := io.word.error || list.count < list.left || end > io.bounds.limit.resize(35)
        io.word.ready := !result.valid || result.ready
        list.at := (end - 4).resized
        when(io.word.ready) {
          list.asked := False
          state := State.Elements
          when(result.valid) { finish() }
        }
      }
    }
    is(State.Elements) {
      when(io.word.valid) {
        result.valid := True
        result.payload := list.string
        when(list.element === 0) { result.payload := failing(list.op, Status.BadObject) }
        when(io.word.error) { result.payload := failing(list.op, Status.BusFault) }
        io.word.ready := result.ready && list.lastOfWord
        when(result.ready) {
          list.at := list.at - 4
          list.left := list.left - 1
          when(list.left === 1) { finish() }
          when(list.lastOfWord) { list.asked := False }
        }
      }
    }
  }
  when(state =/= State.Fields && !list.asked) {
    ask.valid := True
    ask.address := list.at
    when(ask.ready) { list.asked := True }
  }

  when(io.start || io.kill) {
    state := State.Fields
    strings := False
    depth := 0
  }
  io.op << result.m2sPipe(flush = io.kill)
  io.busy := io.field.valid || pending.io.pop.valid || pending.io.occupancy =/= 0 || strings || io.op.valid || endOp
}
