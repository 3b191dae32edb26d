package heapwire.protobuf.engine.command

import heapwire.isa.Status
import heapwire.memory.UnitPort
import heapwire.protobuf.engine.microcode._
import spinal.core._
import spinal.lib._

/** What may go wrong beside the program, in this cycle.
  *
  * @param outOfBounds something was to be written that the command does not own
  * @param input       the input cannot be read; `text`: a text is not UTF-8; `write`: memory refused a write
  * @param unread      what the cache was asked for cannot be read; `badTable`: since it is outside of the bounds
  */
case class Faults(outOfBounds: Bool, input: Bool, text: Bool, write: Bool, unread: Bool, badTable: Bool)

/** Faults, and the end of a command, or of a field instruction.
  *
  * @param ofStep the status of the current step
  * @param quiet  all that was written is in memory
  */
class CommandEnd(port: UnitPort, execution: Execution, command: Command, faults: Faults, ofStep: Bits, quiet: Bool)
    extends Area {
  import command._
  import execution._
  // While the command before drains, faults of writes are that command's, and others wait.
  private val running = !idle && !killing && !draining && !(active && is(Kind.completes))
  private val input = RegInit(False) setWhen faults.input clearWhen (begins || trap)
  trap := running && (faults.outOfBounds || input || faults.input || faults.text || faults.write || faults.unread)
  when(does(Act.fail)) {
    killing := True
    val code = computed.resize(Status.Width).asBits
    // An immediate of 0 stands for the status of the current step.
    status := (field(Micro.Compute).asUInt === Alu.Pass && field(Micro.Immediate) === 0) ? ofStep | code
    faultAtUnknown := is(Flag.keeping)
    // Reports the window's position. For a group, this is behind the group's end.
    faultAtInput := code === Status.MissingRequired.code
  }
  when(trap) {
    killing := True
    status := Status.BusFault.code
    when(faults.unread && faults.badTable) { status := Status.BadDescriptor.code }
    when(faults.outOfBounds) { status := Status.OutOfBounds.code }
    when(input || faults.input) { faultAtInput := True }
    when(faults.text) {
      status := Status.InvalidUtf8.code
      // The current step is behind the string; the same holds for an input word that was denied.
      faultAtInput := False
    }
    faultAtText := faults.text || input || faults.input
  }
  when(begins) {
    status := Status.Ok.code
    faultAtInput := False
    faultAtUnknown := False
    faultAtText := False
  }
  // `byField`: an instruction outside of a sequence. `live.raise`: a sequence opens.
  when(byField) { status := Status.Broken.code }
  when(does(Flag.live.raise)) { status := Status.Ok.code }
  when(does(Act.nextRequest) && !trap) { killing := False }
  when(does(Act.closeSequence)) {
    idle := True
    killing := False
  }
  private val drained = new Area {
    val tag = RegNextWhen(command.tag, does(Act.handOver))
    val failed, outside = RegInit(False)
    when(does(Act.handOver)) {
      draining := True
      idle := True
    }
    private val drains = draining || does(Act.handOver)
    failed := drains && (failed || faults.write)
    outside := drains && (outside || faults.outOfBounds)
    when(failed || outside) { for (word <- results.take(3)) word := 0 }
    // Late, so that a fault of the last write is seen.
    val done = RegNext(draining && quiet && !faults.write && !faults.outOfBounds) init False
  }
  port.completion.valid := draining ? drained.done | wants(Act.complete)
  port.completion.tag := draining ? drained.tag | tag
  port.completion.status := status
  port.completion.results := results
  when(draining) {
    port.completion.status := drained.outside ? B(Status.OutOfBounds.code, Status.Width bits) |
      (drained.failed ? B(Status.BusFault.code, Status.Width bits) | B(Status.Ok.code, Status.Width bits))
  }
  when(port.completion.fire) {
    draining := False
    when(!draining) {
      idle := True
      killing := False
    }
  }
}
