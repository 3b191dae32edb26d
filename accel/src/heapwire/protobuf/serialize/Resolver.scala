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
  /** What is behind the header of a ByteString or array list; the length before an array's elements. */
  val fetches = for (offset <- Seq(8, -8)) yield Fetch(m, p.fieldsAhead, offset)
  for ((fetch, i) <- fetches.zipWithIndex) {
    io.requests(i) << fetch.io.request
    fetch.io.word << io.words(i)
    fetch.io.kill := io.kill
  }
  private def stage[T <: Data](stream: Stream[T]): Stream[T] = stream.m2sPipe(flush = io.kill)

  val checked = stage(io.input.map { input =>
    val op = CombInit(input)
    when(input.fetched) { op.origin := input.low }
    when(input.fetched && !io.bounds.hold(input.low, U(ObjectLayout.ByteString.Size, 32 bits))) { op.fail(Status.BadObject) }
    op
  })
  fetches(0).io.input << checked
  // Most often the array lies right behind its ByteString.
  val behind = checked.low + (ObjectLayout.ByteString.Size + ObjectLayout.Array.Elements)
  io.hint.valid := checked.fire && checked.fetched && checked.kind === OpKind.Text && behind >> log2Up(m.blockBytes) =/= checked.low >> log2Up(m.blockBytes) &&
    behind < io.bounds.limit
  io.hint.payload := behind

  private def headOf(fetched: FetchedOp): Op = {
    val op = CombInit(fetched.op)
    val (count, array) = (fetched.data(31 downto 0), fetched.data(63 downto 32).asUInt)
    val elements = array +^ U(ObjectLayout.Array.Elements, 32 bits)
    when(fetched.op.fetched) {
      op.value := count ## elements(31 downto 0)
      when(fetched.error) {
        op.fail(Status.BusFault)
      } elsewhen (array < io.bounds.bound || elements > io.bounds.limit.resize(33) || array(2 downto 0) =/= 0) {
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
    val size = length.resize(36) |<< array.op.encoding.log2Size
    when(array.op.fetched) {
      when(isText) { op.value(63 downto 32) := length.asBits }
      when(array.error) {
        op.fail(Status.BusFault)
      } elsewhen (array.op.low.resize(37) + size > io.bounds.limit.resize(37) || !isText && array.op.high > length) {
        op.fail(Status.BadObject)
      } elsewhen (empty) {
        op.makeEmpty()
      }
    }
    op
  }
  io.output << stage(resolved)
}
