package heapwire.protobuf.serialize

import heapwire.isa.{ObjectLayout, Status}
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Follows the references of strings and lists to their bytes: ByteString or
  * array list first, its array then. What is empty and may be left out is left
  * out; an empty string becomes a scalar. One operation a cycle, many under way.
  *
  * Every reference is checked before it is used: BAD_OBJECT.
  */
case class Resolver(p: SerializerParameter, m: MemoryParameter) extends Component {
  val io = new Bundle {
    val bounds = in(HeapBounds())
    val input = slave(Stream(Op()))
    val output = master(Stream(Op()))
    val requests = Vec(master(Stream(CachedRead(m))), 2)
    val words = Vec(slave(Stream(CachedWord(m))), 2)
    val hint = master(Stream(UInt(32 bits)))
    val kill = in Bool()
  }
  /** Hash and array of a ByteString, or count and array of an array list; then the array's length. */
  val fetches = Seq.fill(2)(Fetch(m, p.fieldsAhead))
  for ((fetch, i) <- fetches.zipWithIndex) {
    io.requests(i) << fetch.io.request
    fetch.io.word << io.words(i)
    fetch.io.kill := io.kill
  }
  /** What the bounds mean for objects, which lie at multiples of 8 bytes; they hold while there are operations. */
  private val bounds = new Area {
    val first = RegNext((io.bounds.bound +^ 7) >> 3)
    private val units = io.bounds.limit >> 3
    /** Behind the last one of 16 bytes, as all have that are read here. */
    val end = RegNext((units === 0) ? U(0, 29 bits) | (units - 1))
    val limitOfElements = RegNext(io.bounds.limit - ObjectLayout.Array.Elements)
    def hold(address: UInt): Bool = address(2 downto 0) === 0 && !((address >> 3).resize(30) < first) && (address >> 3) < end
  }
  require(Seq(ObjectLayout.ByteString.Size, ObjectLayout.ArrayList.Size, ObjectLayout.Array.Elements).forall(_ == 16) &&
    Seq(ObjectLayout.ByteString.Hash, ObjectLayout.ArrayList.Count, ObjectLayout.Array.Length).forall(_ == 8), "the objects' second 8 bytes are read")
  private def stage[T <: Data](stream: Stream[T]): Stream[T] = stream.m2sPipe(flush = io.kill)

  val checked = stage(io.input.map { input =>
    val op = CombInit(input)
    when(input.fetched) { op.origin := input.low }
    when(input.fetched && !bounds.hold(input.low)) { op.fail(Status.BadObject) }
    op
  })
  fetches(0).io.input << checked
  // Most often the array lies right behind its ByteString.
  private val blockShift = log2Up(m.blockBytes)
  val behind = checked.low(blockShift - 1 downto 0) +^ U(ObjectLayout.ByteString.Size + ObjectLayout.Array.Elements, blockShift bits)
  io.hint.valid := checked.fire && checked.fetched && checked.kind === OpKind.Text && behind.msb
  io.hint.payload := ((checked.low >> blockShift) + 1) @@ U(0, blockShift bits)

  private def headOf(fetched: FetchedOp): Op = {
    val op = CombInit(fetched.op)
    val (count, array) = (fetched.data(31 downto 0), fetched.data(63 downto 32).asUInt)
    when(fetched.op.fetched) {
      op.value := count ## array
      when(fetched.error) {
        op.fail(Status.BusFault)
      } elsewhen (!bounds.hold(array)) {
        op.fail(Status.BadObject)
      }
    }
    op
  }
  private def isEmptyList(fetched: FetchedOp): Bool = {
    val list = fetched.op.kind === OpKind.Array || fetched.op.kind === OpKind.Raw
    list && fetched.op.fetched && !fetched.error && fetched.data(31 downto 0) === 0
  }
  val head = fetches(0).io.output
  fetches(1).io.input << stage(head.throwWhen(isEmptyList(head)).map(headOf))

  val array = stage(fetches(1).io.output)
  val length = array.data(31 downto 0).asUInt
  val isText = array.op.kind === OpKind.Text
  val empty = isText && array.op.fetched && length === 0 && !array.error
  val resolved = array.throwWhen(empty && array.op.optional).translateWith {
    val op = CombInit(array.op)
    val size = length.resize(35) |<< array.op.encoding.log2Size
    /** Bytes between the start of the elements and the limit. */
    val rest = bounds.limitOfElements - array.op.low
    when(array.op.fetched) {
      op.value(31 downto 0) := (array.op.low + ObjectLayout.Array.Elements).asBits
      when(isText) { op.value(63 downto 32) := length.asBits }
      when(array.error) {
        op.fail(Status.BusFault)
      } elsewhen (rest < size || !isText && length < array.op.high) {
        op.fail(Status.BadObject)
      } elsewhen (empty) {
        op.makeEmpty()
      }
    }
    op
  }
  io.output << stage(resolved)
}
