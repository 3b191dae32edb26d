package heapwire.cereal.serialize

import heapwire.isa.{ObjectLayout, Status}
import heapwire.memory.MemoryParameter
import spinal.core._
import spinal.lib._

/** Why the command cannot continue, and the object that caused it. */
case class Fault() extends Bundle {
  val status = Bits(Status.Width bits)
  val at = UInt(32 bits)
}

/** Judges each header that was read as visited, free, or in use by another serialization: the header manager of Cereal
  * (ISCA 2020, section V.B). A free object is numbered: it gets the next bytes of the image, is claimed, and becomes
  * pending. Throughput: one header per cycle unless a later stage stalls.
  *
  * The epoch in the owner word decides. The command's own epoch means visited: the second word is then the object's
  * relative address, which must be one that was assigned. Epoch 0, or an owner word below every valid one, means free.
  * Any other owner word is looked up, and a valid one belongs to another serialization. Objects that were claimed so
  * recently that the read may have missed it are in the claim table.
  *
  * For Skyway, the image continues behind the stream's earlier roots, a mark is the stream's own only if its lower half
  * matches, too, and numbers are the relative addresses themselves.
  *
  * A mark with the command's own epoch is trusted, whoever wrote it. If a program forges one, with an epoch that
  * software has yet to assign, a reference leads to any place in the image so far. Readers reject references that do
  * not lead to the start of an object.
  */
case class HeaderManager(m: MemoryParameter, skyway: Boolean = false) extends Component {
  val io = new Bundle {
    val epoch = in UInt (16 bits)
    /** The lowest owner word that is valid. */
    val oldest = in UInt (32 bits)
    val mode = skyway generate in(SkywayMode())
    val header = slave(Stream(Header()))
    /** The target of a reference in the image: 0 for null, otherwise in units of 8 bytes from 1; for Skyway from 0. */
    val number = master(Stream(UInt(Image.AddressWidth - 3 bits)))
    val pending = master(Stream(PendingObject()))
    /** The object had been numbered before. */
    val again = out(Bool())
    val claim = master(Stream(Claim()))
    /** Another unit has just claimed the object. */
    val taken = in(Bool())
    /** Address for the claim table, which answers in the next cycle. */
    val look = out UInt (32 bits)
    val hit = in(Bool())
    val relative = in UInt (Image.AddressWidth bits)
    /** An owner word that may be valid; held until the header leaves. */
    val check = master(Flow(UInt(32 bits)))
    val answer = slave(Stream(EpochAnswer()))
    val fault = master(Flow(Fault()))
    /** Pulses: a header that was read is finished; a reference is. */
    val resolved, settled = out(Bool())
    /** Number of objects, and size of the image so far. */
    val objects, graph = out UInt (32 bits)
    /** The same, including an object that is claimed in this cycle. */
    val objectsNext, graphNext = out UInt (32 bits)
  }
  private val header = io.header.payload
  private val address = header.visit.address
  private val again = header.visit.again
  private val window = header.window
  private val shape = header.shape

  val graph = Reg(UInt(Image.AddressWidth + 1 bits)) init 0
  val objects = Reg(UInt(32 bits)) init 0
  io.graph := graph.resized
  io.objects := objects
  private val on = if (skyway) io.mode.on else False

  val measure = new Area {
    val elements = header.extent
    val bytes = shape.isArray ? (elements +^ U(ObjectLayout.Metadata.ArrayElements + 7)) |
      (shape.size @@ U(0, 3 bits)).resize(33)
    val size = bytes(32 downto 3) @@ U(0, 3 bits)
    val pad = (U(0, 3 bits) - elements(2 downto 0)).andMask(shape.isArray)
    val after = graph +^ size
    /** The object would extend beyond the heap, so it is not a valid one. */
    val unsound = shape.isArray && header.long || size > header.room
    /** The image has no room for the object, if it is a new one. */
    val beyond = (after >> Image.AddressWidth) =/= 0
  }

  val judge = new Area {
    val owner = shape.isArray ? window(ObjectLayout.Metadata.Array / 4) | window(ObjectLayout.Metadata.Instance / 4)
    val word = shape.isArray ? window(ObjectLayout.Metadata.Array / 4 + 1) |
      window(ObjectLayout.Metadata.Instance / 4 + 1)
    val epoch = owner(31 downto 16).asUInt
    val own = epoch === io.epoch && (if (skyway) !on || owner(15 downto 0) === io.mode.stream else True)
    val seen = own || io.hit
    val relative = io.hit ? io.relative.resize(32) | word.asUInt
    val astray = relative(2 downto 0) =/= 0 || relative >= graph
    val doubtful = !seen && !again && epoch =/= 0 && owner.asUInt >= io.oldest
  }
  io.look := address
  /** `wrong`: what was read is faulty. */
  val fresh = header.read && !judge.seen && !again
  val wrong = header.read &&
    (header.error || !header.registered || measure.unsound || judge.seen && !again && judge.astray ||
      fresh && measure.beyond)
  io.check.valid := io.header.valid && header.read && judge.doubtful && !wrong
  io.check.payload := judge.owner.asUInt
  val cleared = !judge.doubtful || io.answer.valid && !io.answer.counts && !io.answer.error
  val refused = header.bad || wrong || io.claim.valid && io.taken ||
    header.read && judge.doubtful && io.answer.valid && !cleared

  private val sound = io.header.valid && !header.bad && !wrong && (!header.read || cleared)
  private val wantsNumber = !again && !header.visit.root
  private val wantsPending = fresh || header.read && again
  val ready = (!wantsNumber || io.number.ready) && (!wantsPending || io.pending.ready) && (!fresh || io.claim.ready)
  io.number.valid := sound && wantsNumber && ready
  io.number.payload := header.isNull ? U(0) | (judge.seen ? judge.relative(28 downto 3) | graph(28 downto 3)) +
    (!on).asUInt
  io.pending.valid := sound && wantsPending && (!wantsNumber || io.number.ready) && (!fresh || io.claim.ready)
  io.claim.valid := sound && fresh && (!wantsNumber || io.number.ready) && io.pending.ready
  io.claim.address := address
  io.claim.relative := graph.resized
  io.claim.isArray := shape.isArray
  io.again := again
  io.pending.address := address
  io.pending.shape := shape
  io.pending.slots := (measure.size >> 2).resized
  io.pending.pad := measure.pad
  io.pending.window := window
  // What follows such a window is read from a path word's border on.
  io.pending.short := header.middle && !(header.whole && measure.size <= Window.Bytes)
  io.header.ready := sound && ready
  io.answer.ready := io.header.fire
  private val adds = io.header.fire && fresh
  io.graphNext := (adds ? measure.after.resize(widthOf(graph)) | graph).resized
  io.objectsNext := objects + adds.asUInt
  graph := io.graphNext.resized
  if (skyway) when(on && io.mode.begins) { graph := io.mode.base.resized }
  objects := io.objectsNext
  io.resolved := io.header.fire && header.read
  io.settled := io.header.fire && !again

  io.fault.valid := io.header.valid && refused
  io.fault.at := address
  io.fault.status := Status.BadObject.code
  when(header.read) {
    when(header.error || judge.doubtful && io.answer.error && !wrong) {
      io.fault.status := Status.BusFault.code
    } elsewhen (!header.registered) {
      io.fault.status := Status.UnregisteredClass.code
    } elsewhen (!measure.unsound && fresh && measure.beyond) {
      io.fault.status := Status.OutputFull.code
    } elsewhen (!wrong) {
      io.fault.status := Status.SharedObject.code
    }
  }
}
