package heapwire.protobuf.engine

import heapwire.isa._
import spinal.core._
import spinal.lib._

/** Faults, and the end of a command. */
class EngineEnd(engine: Engine) extends Area {
  import engine._
  import engine.registers._
  import engine.streams.text
  import engine.tables.{entryRequest, outsideText}
  import engine.quick.{own, trap}
  private val running = !command.idle && !command.killing && !(active && is(Kind.completes))
  // If the program does not wait for the answer of a request outside of the bounds, it is about to refuse the address
  // itself, so this is no fault.
  private val refused = command.writing && cache.io.outside && !writer.io.scan.busy && !is(Kind.readsGranule)
  // The requester waits for an answer, so a fault may be reported a cycle later.
  private def late(what: Bool): Bool = RegNext(what) init False
  private val faulty = cache.io.fault && !refused
  private val unread = late(faulty && ask.pending) && !outsideText || late(faulty && entryRequest)
  private val inputFault = late(window.io.fault)
  trap := running && (guard.io.violation || inputFault || text.utf8.io.error || writes.io.error || unread)
  when(does(Act.fail)) {
    command.killing := True
    val code = computed.resize(Status.Width).asBits
    // An immediate of 0 stands for the status of the current step.
    command.status := (field(Micro.Compute).asUInt === Alu.Pass && field(Micro.Immediate) === 0) ? step.status | code
    command.faultAtUnknown := keeping
    // Reports the window's position. For a group, this is behind the group's end.
    command.faultAtInput := code === Status.MissingRequired.code
  }
  when(trap) {
    command.killing := True
    command.status := Status.BusFault.code
    when(unread && cache.io.outside) { command.status := Status.BadDescriptor.code }
    when(guard.io.violation) { command.status := Status.OutOfBounds.code }
    when(inputFault) { command.faultAtInput := True }
    when(text.utf8.io.error) {
      command.status := Status.InvalidUtf8.code
      // The current step is behind the string; the same holds for an input word that was denied.
      command.faultAtInput := False
    }
    command.faultAtText := text.utf8.io.error || inputFault
  }
  when(command.begins) {
    command.status := Status.Ok.code
    command.faultAtInput := False
    command.faultAtUnknown := False
    command.faultAtText := False
    depth := 0
    groups := 0
    skipping := False
    for (flag <- flags) flag := False
  }
  if (p.fields) {
    // `byField`: an instruction outside of a sequence. `live.raise`: a sequence opens.
    when(command.byField) { command.status := Status.Broken.code }
    when(does(Flag.live.raise)) { command.status := Status.Ok.code }
    when(does(Act.nextRequest) && !trap) { command.killing := False }
    when(does(Act.closeSequence)) {
      command.idle := True
      command.killing := False
    }
  }
  io.port.command.ready := does(Act.takeCommand)
  io.port.completion.valid := wants(Act.complete)
  io.port.completion.tag := command.tag
  io.port.completion.status := command.status
  io.port.completion.results := command.results
  when(io.port.completion.fire) {
    command.idle := True
    command.killing := False
  }
  io.port.activity.busy := !command.idle && !fielded(_.open, False)
  io.port.activity.readStall := stepping && !at.stepValid && (window.io.starving || lookup.io.waiting) || ask.pending
  io.port.activity.tableStall := stepping && !at.stepValid && !window.io.starving && lookup.io.waiting ||
    ask.pending && !ask.isObject
  io.port.activity.writeStall := own.valid && !own.ready || wants(Act.flush)
}
