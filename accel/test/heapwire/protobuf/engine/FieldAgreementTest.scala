package heapwire.protobuf.engine

import heapwire.isa._
import heapwire.isa.FieldInstruction._
import org.scalatest.funsuite.AnyFunSuite
import spinal.core.sim._

import scala.util.Random

/** Random instructions, right and wrong: an engine over a narrow memory must answer and write exactly what an engine
  * over a wide memory does. Two points are not compared, because the engines may differ there: which object is blamed
  * for a bad reference, and when a denied request is noticed.
  */
class FieldAgreementTest extends AnyFunSuite {
  private val repeated = 1 << RepeatedBit
  private val flag = 1 << FlagBit
  private val rounds = if (sys.env.contains("HEAPWIRE_FULL")) 150 else 75

  private def serialize(width: Int, seed: Int): Seq[(String, String)] = {
    var results = Seq.empty[(String, String)]
    FieldBench.compiled(width)().doSim(seed = seed) { dut =>
      val b = new FieldBench(dut, new Random(seed), 0.1, 1 to 40)
      for (round <- 0 until rounds) {
        val dice = new Random(seed * 1000 + round)
        b.memory.write(b.outputAt, new Array[Byte](4096))
        val heap = b.heapAt + 8 * dice.nextInt(8)
        val end = heap + 200 + 4 * dice.nextInt(100)
        // The words of the heap are references into it, small numbers, or random.
        for (i <- 0 until 200) b.word(b.heapAt + 4 * i,
          dice.nextInt(5) match {
            case 0 | 1 => heap + 8 * dice.nextInt(60)
            case 2 => dice.nextInt(20).toLong
            case 3 => 0L
            case _ =>
              if (dice.nextBoolean()) 0x50000000L + 8 * dice.nextInt(1000) else dice.nextInt().toLong & 0xffffffffL
          })
        val size = dice.nextInt(200)
        // Bounds that include addresses outside of memory.
        val denied = dice.nextInt(5) == 0
        b.writable = Seq((b.outputAt + 64, b.outputAt + 64 + size))
        b.setUp(SetUp.Output, b.outputAt + 64, size)
        b.setUp(SetUp.Heap, if (denied) 0x3ff00000L else heap, if (denied) 0x60000000L else end)
        val issued = Seq.fill(1 + dice.nextInt(6)) {
          val code = if (dice.nextInt(20) == 0) dice.nextInt(32) else FieldType.all(dice.nextInt(18)).code
          val function = code | (if (dice.nextInt(3) == 0) repeated else 0) | (if (dice.nextInt(3) == 0) flag else 0)
          val slot = heap + (if (dice.nextInt(10) == 0) dice.nextInt(500) else 8 * dice.nextInt(40)) -
            (if (dice.nextInt(20) == 0) 16 else 0)
          val number = if (dice.nextInt(30) == 0) 0L else if (dice.nextInt(30) == 0) 1L << 29 else 1L + dice.nextInt(40)
          b.serfield(if (dice.nextInt(12) == 0) Raw else function, slot, number)
          f"$function%x $slot%x $number"
        }
        val length = b.check(Check.Length)
        val at = b.check(Check.At)
        val status = b.check(Check.Status)
        results :+=
          ((s"round $round heap ${heap.toHexString} ${end.toHexString} size $size: ${issued.mkString("; ")}",
            s"status $status length $length at ${if (Seq(Status.Ok, Status.BadObject, Status.BadCommand,
                  Status.BusFault).exists(_.code == status)) "-"
              else at.toHexString} ${if (status == 0) b.memory.read(b.outputAt, 400).map("%02x".format(_)).mkString
              else ""}"))
      }
    }
    results
  }

  private def parse(width: Int, seed: Int): Seq[(String, String)] = {
    var results = Seq.empty[(String, String)]
    FieldBench.compiled(width)().doSim(seed = seed) { dut =>
      val b = new FieldBench(dut, new Random(seed), 0.1, 1 to 40)
      for (round <- 0 until rounds) {
        val dice = new Random(seed * 1000 + round)
        for (at <- Seq(b.messageAt, b.fixedAt, b.flexibleAt)) b.memory.write(at, new Array[Byte](4096))
        val input =
          dice.nextBytes(1 + dice.nextInt(120)).map(byte => if (dice.nextInt(5) != 0) (byte & 7).toByte else byte)
        val (fixed, flexible) =
          (if (dice.nextBoolean()) dice.nextInt(400) else 1000, if (dice.nextBoolean()) dice.nextInt(400) else 1000)
        val outside = dice.nextInt(12)
        val start = (if (outside == 0) 0x40100000L - 80 else b.inputAt) + dice.nextInt(20)
        val end = start + input.length
        b.memory.write(start, input.take((0x40100000L - start).min(1000).toInt))
        b.setUp(SetUp.Input, start, end)
        def arena(at: Long, size: Int) = { val base = if (outside == 1) at + 0x1000000 else at; (base, base + size) }
        val (fixedArena, flexibleArena) = (arena(b.fixedAt, fixed), arena(b.flexibleAt, flexible))
        b.writable = Seq((b.messageAt, b.messageAt + 128), fixedArena, flexibleArena)
        b.setUp(SetUp.Fixed, fixedArena._1, fixedArena._2)
        b.setUp(SetUp.Flexible, flexibleArena._1, flexibleArena._2)
        b.setUp(SetUp.Destination, b.messageAt, b.messageAt + 128)
        var at = start
        var issued = Seq.empty[String]
        var slots = Map.empty[Int, Int]
        for (_ <- 0 until 1 + dice.nextInt(10)) {
          val slotIndex = if (dice.nextInt(40) == 0) 4 * dice.nextInt(34) else 8 * dice.nextInt(16)
          val code = slots.getOrElse(slotIndex,
            if (dice.nextInt(60) == 0) dice.nextInt(32)
            else FieldType.all(dice.nextInt(18)).code | (if (dice.nextInt(2) == 0) repeated else 0))
          val seen = slots.contains(slotIndex)
          slots += slotIndex -> code
          val facts = FieldType.all.find(_.code == (code & 31))
          val string = facts.exists(t => t == FieldType.Str || t == FieldType.Bytes)
          val nests = facts.exists(t => t == FieldType.Message || t == FieldType.Group)
          val flags = (string || (code & repeated) != 0 && !nests) && dice.nextInt(3) == 0
          val function = if (dice.nextInt(40) == 0) code | flag
          else (if (nests) code | repeated else code) | (if (flags) flag else 0)
          val slot = b.messageAt + slotIndex + (if ((code & repeated) != 0 && seen && dice.nextInt(8) != 0) 1 else 0) +
            (if (dice.nextInt(60) == 0) dice.nextInt(8) else 0)
          val source = if (dice.nextInt(60) == 0) at - dice.nextInt(30) else at + dice.nextInt(3)
          val next = b.parfield(function, source, slot)
          issued :+= f"$function%x $source%x $slot%x -> $next%x"
          if (next != 0xffffffffL && (code & 31) != 11 && (code & 31) != 10) at = next
          if (dice.nextInt(8) == 0) issued :+= "take " + b.take(dice.nextInt(60)).toHexString
        }
        val (fixedTop, where) = (b.check(Check.FixedTop), b.check(Check.At))
        val status = b.check(Check.Status)
        def dump(at: Long, size: Int) = b.memory.read(at, size).map("%02x".format(_)).mkString
        results :+=
          ((s"round $round input ${start.toHexString} ${end.toHexString} fixed $fixed flexible $flexible",
            (if (status == Status.BusFault.code) "" else issued.mkString("; ")) +
              s" status $status at ${if (status == Status.Ok.code || status == Status.BusFault.code) "-"
                else where.toHexString}" +
              (if (status == 0) s" top ${fixedTop.toHexString} ${dump(b.messageAt, 140)} ${dump(b.fixedAt, fixed + 8)}"
               else "")))
      }
    }
    results
  }

  for ((name, run) <- Seq[(String, (Int, Int) => Seq[(String, String)])](("written", serialize), ("read", parse)))
    test(s"instructions at random, $name") {
      val Seq(narrow, wide) = FieldBench.widths.map(run(_, 1))
      for (((what, expected), (_, found)) <- narrow.zip(wide)) assert(found == expected, what)
      val statuses = "status \\d+".r
      assert(narrow.flatMap { case (_, outcome) => statuses.findFirstIn(outcome) }.distinct.size >= 6,
        "hardly anything happens")
    }
}
