package heapwire.protobuf.engine

import spinal.core._
import spinal.lib._

/** The register between who makes a write of up to 8 bytes and the write buffer. A store has its bytes in the low lanes, as many as its size says, and
  * here they come into the lanes of its address. One that is `masked` has size 8, and those bytes that its mask says.
  *
  * A buffer that takes 4 bytes at a time gets one after the other of a write's halves, of those that have anything.
  *
  * @param log2Size of a store, as `input` is valid
  * @param bytes    that the buffer takes at a time, 4 or 8
  */
class LatestWrite(input: Stream[EngineWrite], log2Size: UInt, masked: Bool, bytes: Int) extends Area {
  private val write = input.m2sPipe()
  private val log2 = RegNextWhen(masked ? U(3, 2 bits) | log2Size, input.ready)
  val output = Stream(EngineWrite(bytes))
  /** It has to wait, whether it is there or not: a register, which becomes that of the next write when this one goes. */
  val waits = Bool()
  /** The half that goes now: its place, and whether none comes behind it. */
  private val half = if (bytes == 8) None else Some(new Area {
    private def some(upper: Boolean) = input.mask(if (upper) 7 downto 4 else 3 downto 0).orR
    private val both = RegNextWhen(masked ? (some(false) && some(true)) | log2Size.andR, input.ready)
    private val single = RegNextWhen(masked ? !some(false) | (input.address(2) && !log2Size.andR), input.ready)
    private val second = RegInit(False)
    when(output.fire) { second := both && !second }
    val upper = second || single
    val last = !both || second
  }).map(_.setName("half"))
  private val last = half.fold(True)(_.last)
  val valid: Bool = write.valid
  val address: UInt = write.address
  /** It is there, and stays. */
  val stays: Bool = valid && !write.ready
  /** The same, said early, by what the buffer says of its `ready`. */
  def holdsUp(ready: Bool): Bool = valid && (waits || !ready || !last)

  private val word = {
    val low = write.data(31 downto 0)
    val second = (log2 =/= 0) ? low(15 downto 8) | low(7 downto 0)
    log2(1) ? low | (second ## low(7 downto 0) ## second ## low(7 downto 0))
  }
  private val high = write.data(63 downto 32)
  private val ofSize = Cat((0 until bytes).map { i =>
    val apart = (write.address(2 downto 0) ^ U(i, 3 bits)).asBits
    !(apart(0) && log2 === 0) && !(apart(1) && !log2(1)) && (if (bytes == 8) !(apart(2) && !log2.andR) else True)
  })
  write.ready := !waits && last && output.ready
  output.valid := valid && !waits
  output.trusted := write.trusted
  output.address := write.address
  half match {
    case None =>
      output.data := (log2.andR ? high | word) ## word
      output.mask := write.mask & ofSize
    case Some(half) =>
      output.address(2) := half.upper
      output.data := (half.upper && log2.andR) ? high | word
      output.mask := (half.upper ? write.mask(7 downto 4) | write.mask(3 downto 0)) & ofSize
  }
}
