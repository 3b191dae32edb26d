package heapwire.protobuf.serialize

import heapwire.isa.{FieldType, Status}
import heapwire.memory.BlockRam
import spinal.core._
import spinal.lib._

/** How a value of a field type goes onto the wire. */
case class Encoding() extends Bundle {
  /** log2 of the bytes in the object. */
  val log2Size = UInt(2 bits)
  /** As it is, little endian. */
  val fixed = Bool()
  /** A varint of a byte that is 0 or not, of a signed number, of a number in zigzag. */
  val isBool, signed, zigzag = Bool()

  /** The 64 bits whose varint, or whose bytes, go onto the wire, for a value in the low bits of `raw`. */
  def wire(raw: Bits): Bits = {
    val msb = log2Size.mux(0 -> raw(7), 1 -> raw(15), 2 -> raw(31), 3 -> raw(63))
    val sign = msb && (signed || zigzag)
    /** Bytes `from` up to `until`, which values of less than 1 << `log2` bytes do not have. */
    def part(log2: Int, from: Int, until: Int): Bits = {
      val bytes = raw(8 * until - 1 downto 8 * from)
      (log2Size >= log2) ? bytes | B(widthOf(bytes) bits, default -> sign)
    }
    val plain = part(3, 4, 8) ## part(2, 2, 4) ## part(1, 1, 2) ## raw(7 downto 0)
    val mirrored = (plain |<< 1) ^ B(64 bits, default -> sign)
    isBool ? raw(7 downto 0).orR.asBits.resize(64) | (zigzag ? mirrored | plain)
  }
}

object Encoding {
  def apply(code: UInt): Encoding = {
    val encoding = Encoding()
    def oneOf(types: FieldType.Type*) = types.map(t => code === t.code).orR
    encoding.log2Size := 0
    switch(code) {
      for (t <- FieldType.all) is(t.code) { encoding.log2Size := t.log2Size }
    }
    encoding.fixed := oneOf(FieldType.all.filter(t => t.wireType == 1 || t.wireType == 5): _*)
    encoding.isBool := oneOf(FieldType.Bool)
    encoding.signed := oneOf(FieldType.Int32, FieldType.Enum)
    encoding.zigzag := oneOf(FieldType.Sint32, FieldType.Sint64)
    encoding
  }
}

/** What is to be written next, from the end of the output towards its start. */
object OpKind extends SpinalEnum {
  /** A key and a value; a key alone. */
  val Scalar, Key = newElement()
  /** The end of a nested message; its start, which makes its length known: length and key. */
  val Mark, Close = newElement()
  /** A string: bytes, length, key. `value` refers to a ByteString. */
  val Text = newElement()
  /** A repeated scalar field. `value` refers to an array list. */
  val Array = newElement()
  /** Bytes as they are. `value` refers to an array list of bytes. */
  val Raw = newElement()
  /** Of C structs, not measured yet: a string up to its NUL; bytes behind their count. `value`: its address, the most bytes above. */
  val Terminated, Counted = newElement()
  /** The command ends: well; with the status in the low bits of `key`, because of the object at `origin`. */
  val End, Fail = newElement()
}

/** One operation, see [[OpKind]]. A scalar has what its slot holds in the low bits of `value`.
  *
  * On its way `value` changes, for the kinds that are `fetched`: a reference to
  * an object; the reference in it with the count in it above; the address of
  * its bytes with the number of its elements above, as it is from the start for
  * those that are `direct`.
  */
case class Op() extends Bundle {
  val kind = OpKind()
  val key = Bits(32 bits)
  val value = Bits(64 bits)
  /** The object at fault if this fails. */
  val origin = UInt(32 bits)
  val encoding = Encoding()
  /** Array: packed. Text: to be checked; not written if empty. */
  val packed, checked, optional = Bool()
  /** Of a C struct: `value` says where the bytes are. */
  val direct = Bool()

  def low: UInt = value(31 downto 0).asUInt
  def high: UInt = value(63 downto 32).asUInt
  /** Has bytes in memory; they must be looked for. */
  def isPayload: Bool = kind === OpKind.Text || kind === OpKind.Array || kind === OpKind.Raw
  def fetched: Bool = isPayload && !direct
  def isMeasured: Bool = kind === OpKind.Terminated || kind === OpKind.Counted
  /** Bytes of the payload, once `value` says where it is. Behind the [[PayloadReader]] they are in its upper half. */
  def bytes: UInt = (high |<< encoding.log2Size).resize(32)

  /** Turns the operation into the end of the command, because of `origin`. */
  def fail(status: Status): Unit = fail(B(status.code, Status.Width bits))
  def fail(status: Bits): Unit = {
    kind := OpKind.Fail
    key(Status.Width - 1 downto 0) := status
  }
  def fail(status: Status, object_ : UInt): Unit = fail(B(status.code, Status.Width bits), object_)
  def fail(status: Bits, object_ : UInt): Unit = {
    fail(status)
    origin := object_
  }
  /** Turns it into a value of zero: of a string, a length. */
  def makeEmpty(): Unit = {
    kind := OpKind.Scalar
    value(7 downto 0) := 0
    encoding.log2Size := 0
    encoding.fixed := False
  }
}

object Op {
  /** An operation with everything but its kind, and that it is none of a C struct, left open. */
  def apply(kind: OpKind.E): Op = {
    val op = Op()
    op.assignDontCare()
    op.kind := kind
    op.direct := False
    op
  }
}

object OpQueue {
  /** A queue of `depth` operations in block RAM, through which each takes 2 cycles. */
  def apply(depth: Int): StreamFifo[Op] = {
    val queue = StreamFifo(Op(), depth, latency = 2)
    BlockRam(queue.logic.ram)
    queue
  }
}

/** Where objects may lie. */
case class HeapBounds() extends Bundle {
  val bound, limit = UInt(32 bits)

  /** `size` bytes from `address` on are an object within the bounds. */
  def hold(address: UInt, size: UInt): Bool =
    address(2 downto 0) === 0 && contain(address, size)

  /** `size` bytes from `address` on lie within the bounds. */
  def contain(address: UInt, size: UInt): Bool =
    address >= bound && (address +^ size) <= limit.resize(widthOf(size).max(32) + 1)
}
