package heapwire.protobuf.engine

import heapwire.protobuf.{TableEntry, TypeFacts}
import spinal.core._
import spinal.lib._

/** The current field, and the step that it becomes. */
class EngineStep(engine: Engine) extends Area {
  import engine._
  val field = Reg(FoundField())
  val entry = Reg(TableEntry())
  /** Facts about the type of its entry. */
  val facts = Reg(TypeFacts())
  /** `valid`: there is a field. `fresh`: it has not become a step yet. `packed`: its packed elements are coming. */
  val valid, fresh, packed = RegInit(False)
  val step = Reg(FieldStep())
  val stepValid = RegInit(False)
  val stepTaken = Bool()
  /** Where the text begins that is being copied: an error in it is found when another step is current. */
  val textPosition = RegNextWhen(step.position, does(Act.copyText))

  val alone = valid && fresh && !packed && field.alone
  val load = (!stepValid || stepTaken) &&
    (alone || raw.valid && (raw.kind === ItemKind.End || valid && Mux(raw.element, packed, fresh)))
  raw.ready := load && !alone
  private val left = RegNext(window.io.left)
  val next = FieldStep(field, entry, facts, raw.payload, alone, skipping, context.native, context.wide,
    window.io.position, left, fielded(_.open, False))
  when(load && !command.killing) {
    step := next
    when(!(raw.kind === ItemKind.End && !alone)) { fresh := False }
  }
  // A command begins with a step of its own, which is taken when the command's message has begun.
  stepValid := (stepValid && !stepTaken || load || command.begins) && !command.killing
  lookup.io.found.ready := !valid || packed && !(raw.valid && raw.element) && !stepValid
  // Entries come from the cache, or are made of a field instruction.
  val loaded = TableEntry()
  loaded.bits := cache.io.data
  private val makes = if (p.fields) does(Act.makeEntry) else False
  private val code = CombInit(loaded.fieldType)
  val loadedFacts = TypeFacts(code)
  // A field that was taken, or whose elements have all come, is finished. Its registers may then hold an entry that is
  // not found yet.
  private val finds = lookup.io.found.ready && lookup.io.busy
  private val loads = finds || writer.io.load
  when(loads) { entry := loaded }
  when(loads || makes) { facts := loadedFacts }
  // If the field is fresh it is already the next one.
  when(stepTaken && !packed && !fresh && step.action =/= Action.End || does(Act.release) || does(Act.enterAndRelease)) {
    valid := False
  }
  when(finds) { field := lookup.io.found.payload }
  when(lookup.io.found.fire) {
    valid := True
    fresh := True
    packed := False
  }
  if (p.fields) when(makes) { code := fields.head.fieldType }
  when(command.killing || command.begins) {
    valid := False
    packed := False
  }
  when(command.begins) { step.position := 0 }
}
