package heapwire.protobuf.execute

import heapwire.isa.ObjectLayout
import heapwire.memory.{MemoryParameter, PathWord}
import heapwire.protobuf.{ByteChunk, Granule, ObjectWrite}
import spinal.core._
import spinal.lib._

/** Where a mover takes bytes from. */
object MoverSource extends SpinalEnum {
  /** None: zeros. */
  val Zeros = newElement()
  /** Memory, from the reader's address on. */
  val Memory = newElement()
  /** The 12 bytes of a record's data. */
  val Record = newElement()
  /** The input. */
  val Input = newElement()
}

/** What a mover is to do. */
case class Move() extends Bundle {
  val source = MoverSource()
  /** Of the first byte; of the managed string with `headers`. From memory: less the bytes of its first granule that do not belong to it. */
  val address = UInt(32 bits)
  /** Bytes, those of the first granule that do not belong to it included; of the input: as it says. */
  val length = UInt(32 bits)
  /** Bytes of the first granule that are not moved. */
  val before = UInt(3 bits)
  /** Input: a zero goes behind it. */
  val terminated = Bool()
  /** Input: a ByteString and the header of its array go before it, zeros up to a multiple of 8 bytes behind it. */
  val headers = Bool()
}

/** Writes bytes from anywhere to any address, up to a path word a cycle, and a cycle for what is left over at the end.
  * The bytes around them stay as they are. Chunks of the input but the last are full.
  */
case class Mover(m: MemoryParameter) extends Component {
  val io = new Bundle {
    /** Starts; only while not busy. */
    val start = slave(Flow(Move()))
    val mark, klassByteString, klassByteArray = in Bits(32 bits)
    val input = slave(Stream(ByteChunk(PathWord.bytes(m))))
    val granule = slave(Stream(Granule()))
    /** Eight bytes of the record, in this cycle; the second time the rest. */
    val record = slave(Stream(Bits(64 bits)))
    val write = master(Stream(ObjectWrite(m)))
    val busy = out Bool()
    /** It wants the record. */
    val recording = out Bool()
    val kill = in Bool()
  }
  private val bytes = PathWord.bytes(m)
  object State extends SpinalEnum { val Idle, Headers, Body, Tail = newElement() }
  import State._
  val state = RegInit(Idle)
  val move = Reg(Move())
  /** Of the granule that the next byte belongs to, without the low 3 bits. */
  val address = move.address
  val phase = Reg(UInt(3 bits))
  /** Bytes that lie before the next one in its granule and are not written yet, and whether there are any. */
  val carry = Reg(Bits(56 bits))
  val carried = Reg(Bool())
  /** From the granule's start on: the first byte that may be written. */
  val from = Reg(UInt(5 bits))
  val headers = Reg(UInt(2 bits))

  // ---- the next bytes --------------------------------------------------------
  val isInput = move.source === MoverSource.Input
  val narrow = move.source === MoverSource.Memory || move.source === MoverSource.Record
  private val full = U(bytes, 6 bits)
  val most = narrow ? U(8, 6 bits) | full
  val ends = isInput ? io.input.last | (move.length <= most.resized)
  val count = UInt(6 bits)
  count := ends ? move.length.resize(6) | most
  when(isInput) { count := io.input.count.resized }
  val data = Bits(8 * bytes bits)
  data := move.source.mux(
    MoverSource.Memory -> io.granule.data.resize(8 * bytes),
    MoverSource.Record -> io.record.payload.resize(8 * bytes),
    MoverSource.Input -> Cat((0 until bytes).map(i => io.input.data(8 * i, 8 bits).andMask(io.input.count > i))),
    MoverSource.Zeros -> B(0, 8 * bytes bits))
  val valid = move.source.mux(
    MoverSource.Memory -> io.granule.valid, MoverSource.Record -> io.record.valid, MoverSource.Input -> io.input.valid, MoverSource.Zeros -> True)

  // ---- shifted to their place, behind those that were carried ------------------
  val joined = (data.resize(8 * (bytes + 8)) |<< (phase << 3)) | carry.andMask(carried).resize(8 * (bytes + 8))
  val end = UInt(6 bits)
  end := count + phase + (isInput && io.input.last && move.terminated).asUInt
  val over = end > bytes
  private def below(count: UInt): Bits = ((U(1, bytes + 9 bits) |<< count) - 1).resize(bytes + 8).asBits
  val padded = (move.headers && ends) ? (((end + 7) >> 3) << 3) | end
  val mask = below(padded) & ~below(from.resize(6))

  val none = !isInput && move.length === 0
  val go = state === Body && valid && !none
  when(state === Body && none) { state := Idle }
  io.write.valid := go || state === Tail || state === Headers
  io.write.address := address
  io.write.data := joined(8 * bytes - 1 downto 0)
  io.write.mask := mask(bytes - 1 downto 0)
  when(state === Tail) {
    io.write.data := carry.resize(8 * bytes)
    io.write.mask := (below(move.length.resize(6)) & ~below(from.resize(6))).resize(bytes)
  }
  val words = Seq(io.mark, io.klassByteString, B(0, 32 bits), (address + ObjectLayout.ByteString.Size).asBits,
    io.mark, io.klassByteArray, move.length.asBits, B(0, 32 bits))
  if (bytes == 16) when(state === Headers) {
    io.write.data := headers(0) ? Cat(words.drop(4)) | Cat(words.take(4))
    io.write.mask.setAll()
  } else when(state === Headers) {
    // The second pair tells where the third one goes.
    io.write.data := headers.mux(0 -> Cat(words.slice(0, 2)), 1 -> Cat(Seq(B(0, 32 bits), (address + 8).asBits)), 2 -> Cat(words.slice(4, 6)),
      3 -> Cat(words.slice(6, 8)))
    io.write.mask.setAll()
  }
  val taken = go && io.write.ready
  io.input.ready := state === Body && isInput && io.write.ready
  io.granule.ready := state === Body && move.source === MoverSource.Memory && io.write.ready
  io.record.ready := state === Body && move.source === MoverSource.Record && io.write.ready

  when(io.start.valid) {
    move := io.start.payload
    phase := io.start.headers ? U(0, 3 bits) | io.start.address(2 downto 0)
    from := (io.start.address(2 downto 0) +^ io.start.before).resized
    carried := False
    headers := 0
    state := io.start.headers ? Headers | Body
  }
  when(taken) {
    address := address + (narrow ? U(8, 5 bits) | U(bytes, 5 bits))
    move.length := move.length - count
    carry := joined(8 * bytes + 55 downto 8 * bytes)
    carried := over
    from := over ? (if (bytes == 16) U(0, 5 bits) else ((from > 8) ? (from - 8) | U(0, 5 bits))) | phase.resize(5)
    when(ends) {
      move.length := (end - bytes).resized
      address := address + bytes
      state := over ? Tail | Idle
    }
  }
  when(state === Tail && io.write.ready) { state := Idle }
  when(state === Headers && io.write.ready) {
    address := address + bytes
    headers := headers + 1
    when(headers === (if (bytes == 16) 1 else 3)) { state := (move.length === 0) ? Idle | Body }
  }
  when(io.kill) { state := Idle }
  io.busy := state =/= Idle
  io.recording := state === Body && move.source === MoverSource.Record
}
