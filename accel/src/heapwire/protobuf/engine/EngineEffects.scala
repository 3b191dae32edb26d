package heapwire.protobuf.engine

import heapwire.isa._
import spinal.core._
import spinal.lib._

/** The effects of acts on the registers beside the program. */
class EngineEffects(engine: Engine) extends Area {
  import engine._
  import engine.registers._
  import engine.words.{askedWord, data}
  for (flag <- Flag.all if p.fields || !Flag.ofSequence.contains(flag)) {
    when(does(flag.raise)) { flags(flag.index) := True }
    when(does(flag.lower)) { flags(flag.index) := False }
  }
  when(hasbitsUse.enters) {
    for (i <- 0 until Flag.OfMessage) flags(i) := False
    when(is(Flag.listOpen) && is(Flag.onTop) && !native) {
      flags(Flag.outerValid.index) := True
      stack.owner := depth
    }
  }
  when(does(Act.setState)) {
    for (i <- 0 until Flag.OfMessage) flags(i) := result(i)
    shape.assignFromBits(result(Flag.OfMessage, widthOf(shape) bits).asBits)
  }
  when(does(Act.setShape) || does(Act.openList)) {
    shape := target
    if (p.fields) flags(Flag.elsewhere.index) := False
  }
  when(does(Act.openList)) {
    for (flag <- Seq(Flag.listOpen, Flag.onTop)) flags(flag.index) := True
    flags(Flag.moved.index) := False
  }
  val oneMore = quick.stored && entry.repeated || does(Act.append)
  list.grew := oneMore
  private val oneUp = U(1, 4 bits) |<< shape.log2Size
  movedElement := ((writer.io.fromWord && command.writing) ? askedWord.asUInt | element) +
    (command.writing ? writer.io.by | oneUp.resize(10).asSInt).resize(32).asUInt
  when(oneMore || writer.io.move) { element := movedElement }
  when(writer.io.take) { element := askedWord.asUInt }
  when(oneMore) { count := count + 1 }
  when(does(Act.setElement)) { element := result }
  when(does(Act.setLimit)) { limit := result }
  when(does(Act.setCount)) { count := result }
  when(does(Act.openList)) { count := 0 }
  when(does(Act.setMessage) || does(Act.resume)) { message := result }
  when(hasbitsUse.enters || does(Act.groupIn)) { depth := depth + 1 }
  when(does(Act.leave) || does(Act.groupOut)) { depth := depth - 1 }
  when(does(Act.groupIn)) {
    groups := groups + 1
    skipping := True
  }
  when(does(Act.groupOut)) {
    groups := groups - 1
    skipping := groups =/= 1
  }
  when(does(Act.readPacked)) { at.packed := True }
  for (i <- 0 until Instruction.ResultWords)
    when(does(Seq(Act.setResult0, Act.setResult1, Act.setResult2, Act.setResult3)(i))) {
      command.results(i) := result.asBits
    }
  when(does(Act.takeCommand)) { command.taken := True }
  when(command.begins) {
    command.objects.base := 0
    command.objects.limit := U"xffffffc0"
  }
  if (p.fields) when(does(Act.setSlots)) {
    command.slots.base := result
    command.slots.limit := data.asUInt
  }
  for ((act, bounds) <- Seq(Act.setArena0, Act.setArena1, Act.setObjects) zip (command.arenas :+ command.objects))
    when(does(act) || (if (act != Act.setObjects) does(Act.setArenas) else False)) {
      bounds.base := result
      bounds.limit := data.asUInt
    }
}
