package heapwire.cereal

import heapwire.cereal.road._
import heapwire.isa.CerealFormat
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Eight bytes of packed items: the end map, which says which of the seven buckets are the last of their item, and the
  * buckets (docs/reference/cereal.md, Packing).
  */
case class Packet() extends Bundle {
  /** Bit 7 must be 0. */
  val ends = Bits(8 bits)
  val buckets = Vec.fill(CerealFormat.PacketBuckets)(Bits(CerealFormat.BucketBits bits))
  /** No item ends in this packet or in the next one, and this packet stands for both. */
  val twin = Bool()
}

/** Cuts the words of a packed section into packets, one per cycle if the port delivers that many. The section begins
  * and ends at multiples of 16 bytes. Latency: 1 cycle; 2 with a port of 4 bytes.
  *
  * While `run` is low nothing is taken, and what was taken is dropped.
  *
  * @param twins two packets of one word in which no item ends are merged into one, for a user that does not look at the
  *              buckets
  */
case class PacketReader(p: MemoryParameter, twins: Boolean = false) extends Component {
  val io = new Bundle {
    val run = in(Bool())
    val word = slave(Stream(RangeWord(p)))
    val packet = master(Stream(Packet()))
  }
  private val bits = 8 * CerealFormat.PacketBytes
  val cut = Stream(Bits(bits bits))
  val second = RegInit(False)
  val twin: Bool =
    if (twins && p.dataWidth > bits) !second && io.word.data(7 downto 0) === 0 && io.word.data(bits, 8 bits) === 0
    else False
  if (p.dataWidth > bits) {
    require(p.dataWidth == 2 * bits)
    cut.valid := io.word.valid && io.run
    cut.payload := second ? io.word.data(bits, bits bits) | io.word.data(0, bits bits)
    // Ready while no word is here: a reader without prefetch requests a block when this is high.
    io.word.ready := cut.ready && (second || twin || !io.word.valid) && io.run
    when(cut.fire) { second := !second && !twin }
  } else if (p.dataWidth == bits) {
    cut.valid := io.word.valid && io.run
    cut.payload := io.word.data
    io.word.ready := cut.ready && io.run
  } else {
    require(2 * p.dataWidth == bits)
    val low = RegNextWhen(io.word.data, io.word.fire && !second)
    cut.valid := io.word.valid && second && io.run
    cut.payload := io.word.data ## low
    io.word.ready := (!second || cut.ready) && io.run
    when(io.word.fire) { second := !second }
  }
  when(!io.run) { second := False }
  io.packet << cut.map { bytes =>
    val packet = Packet()
    packet.twin := twin
    packet.ends := bytes(7 downto 0)
    for ((bucket, i) <- packet.buckets.zipWithIndex) bucket := bytes(8 * (i + 1), 8 bits)
    packet
  }.m2sPipe(flush = !io.run)
}
