package heapwire.protobuf.engine.read

import heapwire.{Models, Rounds}
import org.scalatest.funsuite.AnyFunSuite
import spinal.core._
import spinal.core.sim._

import scala.collection.mutable
import scala.util.Random

class CopierTest extends AnyFunSuite {
  private case class Job(address: Long, bytes: Seq[Byte], zeros: Boolean, round: Boolean, terminated: Boolean) {
    def expected: Map[Long, Byte] = {
      val own = (if (zeros) bytes.map(_ => 0.toByte) else bytes) ++ (if (terminated) Seq(0.toByte) else Nil)
      val end = address + own.size
      val padded = own ++ (if (round) Seq.fill(((end + 7) / 8 * 8 - end).toInt)(0.toByte) else Nil)
      padded.zipWithIndex.map { case (b, i) => address + i -> b }.toMap
    }
  }

  private class Bench(dut: Copier, val random: Random) {
    val clock = dut.clockDomain
    var stall, late = 0.0
    val memory = mutable.Map[Long, Byte]()
    var source = mutable.Queue[Byte]()
    var passed = mutable.Buffer[Byte]()
    var takes = mutable.Buffer[Int]()
    var lasts, writes = 0
    var cycle = 0L
    var held: Option[(Long, BigInt, Int)] = None

    clock.forkStimulus(10)
    dut.io.start.valid #= false
    dut.io.kill #= false
    dut.io.source.available #= false
    dut.io.source.bytes #= 0
    dut.io.write.ready #= false
    clock.waitSampling(3)
    // `available` answers `take` in the same cycle, so it is set between the edges.
    fork {
      while (true) {
        clock.waitFallingEdge()
        val take = if (dut.io.source.wants.toBoolean) dut.io.source.take.toInt else 0
        dut.io.source.available #= take > 0 && take <= source.size && random.nextDouble() >= late
      }
    }
    private def noise = BigInt(64, random)
    clock.onSamplings {
      cycle += 1
      if (dut.io.chunk.valid.toBoolean) {
        val (data, count) = (dut.io.chunk.data.toBigInt, dut.io.chunk.count.toInt)
        assert(count >= 1 && count <= dut.takes)
        passed ++= (0 until count).map(i => (data >> 8 * i).toByte)
        if (dut.io.chunk.last.toBoolean) lasts += 1
      }
      val take = if (dut.io.source.wants.toBoolean) dut.io.source.take.toInt else 0
      var bytes = noise
      if (take > 0 && dut.io.source.available.toBoolean) {
        takes += take
        val taken = (0 until take).map(_ => source.dequeue())
        bytes = (bytes >> 8 * take << 8 * take) | taken.zipWithIndex.map { case (b, i) => BigInt(b & 255) << 8 * i }.sum
      }
      dut.io.source.bytes #= bytes
      if (dut.io.write.valid.toBoolean) {
        val (address, data, mask) = (dut.io.write.address.toLong, dut.io.write.data.toBigInt, dut.io.write.mask.toInt)
        val offered = (address, data, mask)
        held.foreach(before => assert(before == offered, "an offer changed"))
        held = if (dut.io.write.ready.toBoolean) None else Some(offered)
        if (held.isEmpty) {
          writes += 1
          assert(dut.io.busy.toBoolean && mask != 0)
          for (i <- 0 until 8 if (mask >> i & 1) == 1) memory(address + i) = (data >> 8 * i).toByte
        }
      } else assert(held.isEmpty, "an offer was withdrawn")
      dut.io.write.ready #= random.nextDouble() >= stall
    }

    def start(job: Job): Unit = {
      memory.clear()
      passed.clear()
      takes.clear()
      lasts = 0
      writes = 0
      source = mutable.Queue(job.bytes: _*)
      // The source has more bytes than the job takes.
      source ++= Seq.fill(20)(random.nextInt().toByte)
      assert(!dut.io.busy.toBoolean)
      dut.io.start.valid #= true
      dut.io.start.address #= job.address
      dut.io.start.length #= job.bytes.size
      dut.io.start.zeros #= job.zeros
      dut.io.start.round #= job.round
      dut.io.start.terminated #= job.terminated
      dut.io.start.dry #= false
      clock.waitSampling()
      dut.io.start.valid #= false
    }

    def finish(job: Job): Unit = {
      clock.waitSampling()
      if (clock.waitSamplingWhere(20 * job.bytes.size + 400)(!dut.io.busy.toBoolean)) simFailure("never ends")
      val expected = job.expected
      val wrong = (memory.keySet ++ expected.keySet).filter(i => memory.get(i) != expected.get(i))
      assert(wrong.isEmpty,
        wrong.toSeq.sorted.map(i => f"$i%x: ${memory.get(i)}, not ${expected.get(i)}").mkString("; ") + s" of $job")
      if (job.zeros) assert(passed.isEmpty && takes.isEmpty)
      else {
        assert(passed == job.bytes && takes.sum == job.bytes.size)
        assert(lasts == (if (job.bytes.isEmpty) 0 else 1))
        assert(takes.size <= 3 + (job.bytes.size + dut.takes - 1) / dut.takes + 1)
      }
    }

    def bytes(count: Int): Seq[Byte] = Seq.fill(count)((1 + random.nextInt(255)).toByte)
  }

  private val models = new Models[Int, Copier](Copier(_))
  private val base = 0x40000000L

  for (bytes <- Seq(8, 4); (name, stall, late) <- Seq(("without stalls", 0.0, 0.0), ("with stalls", 0.4, 0.4)))
    test(s"$bytes bytes a cycle, $name: every alignment, every length up to 40, all ways to end") {
      models(bytes).doSim(seed = 1) { dut =>
        val bench = new Bench(dut, new Random(1))
        bench.stall = stall
        bench.late = late
        for (alignment <- 0 until 8; length <- 0 to 40; flags <- 0 until 8) {
          val job =
            Job(base + 0xff0 + alignment, bench.bytes(length), (flags & 1) == 1, (flags & 2) == 2, (flags & 4) == 4)
          bench.start(job)
          bench.finish(job)
        }
      }
    }

  for (bytes <- Seq(8, 4)) test(s"$bytes bytes a cycle: random jobs with all degrees of stalls; some killed") {
    models(bytes).doSim(seed = 2) { dut =>
      val bench = new Bench(dut, new Random(2))
      import bench.random
      for (_ <- 0 until Rounds(1500)) {
        bench.stall = Seq(0.0, 0.2, 0.9)(random.nextInt(3))
        bench.late = Seq(0.0, 0.2, 0.9)(random.nextInt(3))
        val job = Job((base + random.nextInt(1 << 20)) & ~7L | random.nextInt(8),
          bench.bytes(random.nextInt(if (random.nextInt(20) == 0) 2000 else 60)),
          random.nextInt(4) == 0, random.nextBoolean(), random.nextBoolean())
        bench.start(job)
        if (random.nextInt(4) == 0) {
          for (_ <- 0 until random.nextInt(30)) bench.clock.waitSampling()
          dut.io.kill #= true
          bench.clock.waitSampling()
          bench.held = None
          dut.io.kill #= false
          sleep(1)
          assert(!dut.io.busy.toBoolean && !dut.io.write.valid.toBoolean)
          assert(bench.memory.keySet.subsetOf(job.expected.keySet))
        } else bench.finish(job)
      }
    }
  }

  for (bytes <- Seq(8, 4)) test(s"$bytes bytes a cycle, at most 3 takes before that") {
    models(bytes).doSim(seed = 3) { dut =>
      val bench = new Bench(dut, new Random(3))
      for (alignment <- 0 until 8; zeros <- Seq(false, true)) {
        val job = Job(base + alignment, bench.bytes(4096), zeros, round = true, terminated = false)
        val from = bench.cycle
        bench.start(job)
        bench.finish(job)
        assert(bench.cycle - from <= 4096 / (if (zeros) 8 else bytes) + 12)
      }
    }
  }

  for (bytes <- Seq(8, 4)) test(s"$bytes bytes a cycle: reset ends a job") {
    models(bytes).doSim(seed = 4) { dut =>
      val bench = new Bench(dut, new Random(4))
      for (_ <- 0 until 20) {
        bench.stall = 0.5
        bench.start(Job(base, bench.bytes(bench.random.nextInt(20)), zeros = false, round = true, terminated = true))
        bench.clock.waitSampling(bench.random.nextInt(15))
        bench.clock.assertReset()
        sleep(35)
        bench.held = None
        bench.clock.deassertReset()
        bench.clock.waitSampling(2)
        val job = Job(base + 3, bench.bytes(21), zeros = false, round = true, terminated = true)
        bench.start(job)
        bench.finish(job)
      }
    }
  }
}
