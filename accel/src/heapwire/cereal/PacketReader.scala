package heapwire.cereal

import heapwire.cereal.road._
import heapwire.isa.CerealFormat
import heapwire.memory._
import spinal.core._
import spinal.lib._

/** Eight bytes of packed items: which of the seven buckets are the last of their item, and the buckets. */
case class Packet() extends Bundle {
  /** Bit 7 must be 0. */
  val ends = Bits(8 bits)
  val buckets = Vec.fill(CerealFormat.PacketBuckets)(Bits(CerealFormat.BucketBits bits))
  /** Neither in this packet nor in the one behind it an item ends, and this stands for both. */
  val twin = Bool()
}

/** Cuts the words of a packed section into packets, one a cycle where the port brings as much.
  * The section begins and ends at multiples of 16 bytes. Latency: 1 cycle, 2 over a port of 4 bytes.
  * While `run` is low nothing is taken, and what was is forgotten.
  *
  * @param twins two packets of a word in which no item ends come as one, for a user who does not look into them
  */
case class PacketReader(p: MemoryParameter, twins: Boolean = false) extends Component {
  val io = new Bundle {
    val run = in Bool()
    val word = slave(Stream(RangeWord(p)))
    val packet = master(Stream(Packet()))
  }
  private val bits = 8 * CerealFormat.PacketBytes
  val cut = Stream(Bits(bits bits))
  val second = RegInit(False)
  val twin: Bool =
    if (twins && p.dataWidth > bits) !second && io.word.data(7 downto 0) === 0 && io.word.data(bits, 8 bits) === 0 else False
  if (p.dataWidth > bits) {
    require(p.dataWidth == 2 * bits)
    cut.valid := io.word.valid && io.run
    cut.payload := second ? io.word.data(bits, bits bits) | io.word.data(0, bits bits)
    // Ready as long as nothing is here: a reader without prefetch goes by that.
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
