package heapwire.memory

import spinal.core._
import spinal.lib._
import spinal.lib.bus.tilelink._

/** TileLink (the shared cache's down side) to LiteDRAM native ports.
  *
  * Writes are acknowledged as soon as they are taken; a read of a block whose
  * write is pending waits for it. Reads and writes go out in batches of one
  * direction, because LiteDRAM loses cycles whenever a bank or the bus turns.
  * Each direction has `stripes` ports so that opening the next row overlaps
  * with the data of this one.
  *
  * Latency without contention: 3 cycles on the way in, 4 on the way out.
  */
case class LiteDramBridge(bus: BusParameter, p: MemoryParameter, dram: LiteDramParameter) extends Component {
  require(bus.dataWidth == p.dataWidth, "the bridge does not change the width")
  private val addressWidth = dram.wordAddressWidth(p)
  private val blockShift = log2Up(p.wordsPerBlock)

  val io = new Bundle {
    val up = slave(Bus(bus))
    val reads = Vec.fill(dram.stripes)(master(dram.readPort(p)))
    val writes = Vec.fill(dram.stripes)(master(dram.writePort(p)))
  }

  private def wordAddress(address: UInt) = (address >> log2Up(p.wordBytes)).resize(addressWidth)
  private def stripe(word: UInt): UInt =
    if (dram.stripes == 1) U(0, 1 bits) else word(log2Up(dram.stripeBytes / p.wordBytes), 1 bits)

  val readers = List.fill(dram.stripes)(LiteDramReader(p, dram))
  val writers = List.fill(dram.stripes)(LiteDramWriter(p, dram))
  for (i <- 0 until dram.stripes) {
    io.reads(i) <> readers(i).io.port
    io.writes(i) <> writers(i).io.port
  }

  case class Answer() extends Bundle {
    val source = bus.source()
    val size = bus.size()
  }

  val input = new Area {
    val a = io.up.a.pipelined(m2s = true, s2m = true)
    val isGet = Opcode.A.isGet(a.opcode)
    val beat = a.beatCounter()
    val demux = StreamDemux(a, (!isGet).asUInt, 2)
    val (toGets, toPuts) = (demux(0), demux(1))
  }

  val puts = new Area {
    val in = input.toPuts
    val word = wordAddress(in.address) + input.beat.resize(addressWidth)
    val select = stripe(word)
    val acks = StreamFifo(Answer(), 8, latency = 1)
    val last = input.a.isLast()
    val room = acks.io.push.ready
    for ((writer, i) <- writers.zipWithIndex) {
      writer.io.write.valid := in.valid && select === i && room
      writer.io.write.last := last
      writer.io.write.address := word
      writer.io.write.data := in.data
      writer.io.write.mask := in.mask
    }
    in.ready := Vec(writers.map(_.io.write.ready)).read(select.resize(log2Up(dram.stripes) max 1)) && room
    acks.io.push.valid := in.fire && last
    acks.io.push.source := in.source
    acks.io.push.size := in.size
  }

  val gets = new Area {
    case class Get() extends Bundle {
      val answer = Answer()
      val read = BlockRead(p, addressWidth)
    }
    val arrived = input.toGets.map { a =>
      val get = Get()
      get.answer.source := a.source
      get.answer.size := a.size
      get.read.address := wordAddress(a.address)
      get.read.beats := a.sizeToBeatMinusOne().resized
      get
    }
    val queue = StreamFifo(Get(), 32, latency = 1)
    queue.io.push << arrived
    // Held against the pending writes as it goes from the queue into a register. Every earlier write is among them, as
    // both came on one channel.
    val in = queue.io.pop.m2sPipe()
    for (writer <- writers) {
      writer.io.query.valid := queue.io.pop.fire
      writer.io.query.payload := queue.io.pop.read.address >> blockShift
    }
    val hazard = in.valid && writers.map(_.io.hit).orR

    case class Order() extends Bundle {
      val answer = Answer()
      val stripe = UInt(1 bits)
      val beats = UInt(log2Up(p.wordsPerBlock) bits)
    }
    val safe = in.haltWhen(hazard)
    val (toReader, toOrder) = StreamFork2(safe)
    val select = stripe(toReader.read.address)
    val queues = for (i <- 0 until dram.stripes) yield {
      val queue = StreamFifo(BlockRead(p, addressWidth), 8, latency = 1)
      queue.io.push.valid := toReader.valid && select === i
      queue.io.push.payload := toReader.read
      queue.io.pop >> readers(i).io.read
      queue
    }
    toReader.ready := Vec(queues.map(_.io.push.ready)).read(select.resize(log2Up(dram.stripes) max 1))
    val order = toOrder.map { get =>
      val entry = Order()
      entry.answer := get.answer
      entry.stripe := stripe(get.read.address)
      entry.beats := get.read.beats
      entry
    }.queue(32)
  }

  /** Which direction may send commands. */
  val phase = new Area {
    val writing = RegInit(False)
    val readPending = readers.map(_.io.pending).orR
    val writePending = writers.map(_.io.pending).orR
    val pressing = writers.map(_.io.pressing).orR
    val batch = Reg(UInt(log2Up(dram.batchBlocks + 1) bits)) init 0
    val idle = Reg(UInt(3 bits)) init 0
    val moved = readers.map(_.io.moved).orR || writers.map(_.io.moved).orR
    val over = batch === dram.batchBlocks
    when(moved && !over) { batch := batch + 1 }

    // Leave reading: the batch is used up and writes press, a read waits for a
    // write, or there is nothing to read for a while.
    idle := readPending ? U(0) | (idle + (idle =/= idle.maxValue).asUInt)
    when(!writing) {
      when(writePending && (gets.hazard || (over && pressing) || pressing && !readPending || idle === idle.maxValue)) {
        writing := True
        batch := 0
      }
    } otherwise {
      when(!writePending || (over && readPending && !gets.hazard)) {
        writing := False
        batch := 0
        idle := 0
      }
    }
    readers.foreach(_.io.enable := !writing)
    writers.foreach(_.io.enable := writing)
  }

  val output = new Area {
    val data = Stream(ChannelD(bus))
    val beat = Reg(gets.order.beats) init 0
    val last = beat === gets.order.beats
    val select = gets.order.stripe.resize(log2Up(dram.stripes) max 1)
    data.valid := gets.order.valid && Vec(readers.map(_.io.data.valid)).read(select)
    data.opcode := Opcode.D.ACCESS_ACK_DATA
    data.param := 0
    data.source := gets.order.answer.source
    data.size := gets.order.answer.size
    data.sink := 0
    data.denied := False
    data.corrupt := False
    data.data := Vec(readers.map(_.io.data.payload)).read(select)
    for ((reader, i) <- readers.zipWithIndex) reader.io.data.ready := data.fire && gets.order.stripe === i
    gets.order.ready := data.fire && last
    when(data.fire) { beat := last ? U(0) | (beat + 1) }

    val acks = Stream(ChannelD(bus))
    acks.arbitrationFrom(puts.acks.io.pop)
    acks.opcode := Opcode.D.ACCESS_ACK
    acks.param := 0
    acks.source := puts.acks.io.pop.source
    acks.size := puts.acks.io.pop.size
    acks.sink := 0
    acks.denied := False
    acks.corrupt := False
    acks.data.assignDontCare()

    StreamArbiterFactory().lowerFirst.lambdaLock[ChannelD](_.isLast()).on(List(acks, data)).pipelined(m2s = true, s2m = true) >> io.up.d
  }
}
