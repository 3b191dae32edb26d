// In each cycle in which an engine carries out a command, writes a line to the file that +profile= names:
//   taken event activity address kind
// taken: the command was taken from the port, as the harness counts its cycles. event: something begins that counts.
// address: of the program's instruction, or of the handler for the step at hand; -1: none. kind: what the scanner
// writes, where the program has no part in it; `-` where nobody knows yet what the engine waits for.
module Probe (input clk);
  integer file;
  string name;
  initial if ($value$plusargs("profile=%s", name)) file = $fopen(name, "w"); else file = 0;

  wire scans = Engine.writer.io_scan_busy;
  // In later cycles of an instruction, `next` may be the handler that is read ahead.
  wire [15:0] at = Engine.sequencer_io_fresh ? 16'(Engine.sequencer.next_1) - 16'd1 : held;
  reg [15:0] held;
  always @(posedge clk) held <= at;
  wire [15:0] handler = 16'(Engine.sequencer_io_jump_payload);
  // The instruction waits: it is held, or it branches to itself.
  wire stays = Engine.execution_stall || Engine.sequencer.taken && 16'(Engine.sequencer.branch) == at;
  wire done = Engine.current_stored || Engine.steps_passed;
  wire puts = Engine.writer.scanner_1.putsKey && Engine.writer.scanner_1.io_item_ready;

  // The program's latest instruction. Behind the last one of a command, writes are on their way.
  reg [15:0] last;
  always @(posedge clk) if (Engine.sequencer.running) last <= at;
  wire drains = Engine.command_idle && Engine.command_draining;

  always @(posedge clk) if (file != 0 && (!Engine.command_idle || drains) && !Engine.io_port_completion_valid) begin
    $fwrite(file, "%b ", Engine.command_taken);
    if (drains) $fwrite(file, "0 writes %0d -\n", last);
    else if (Engine.sequencer.running)
      $fwrite(file, "0 %s %0d -\n", !stays ? "program" : scans ? "scan" : Engine.reads_pending ? "memory" : "writes", at);
    else if (Engine.sequencer_io_jump_valid) $fwrite(file, "1 dispatch %0d -\n", handler);
    else if (Engine.sequencer.fetching) $fwrite(file, "0 dispatch %0d -\n", Engine.sequencer.next_1);
    else if (Engine.command_writing && Engine.writer.scanner_1.state_1 == Engine.writer.scanner_1.State_Fetch)
      $fwrite(file, "0 look-up -1 -\n");
    else if (Engine.command_writing)
      $fwrite(file, "%b scan -1 %s\n", puts, !puts ? "-" : Engine.current_facts_isString ? "strings" : "scalars");
    else if (Engine.current_stepValid) $fwrite(file, "%b step %0d -\n", done, handler);
    else $fwrite(file, "0 %s -1 -\n", Engine.lookup_io_waiting ? "look-up" : "input");
  end
  always @(posedge clk) if (file != 0 && Engine.io_port_completion_valid) $fflush(file);
endmodule
bind Engine Probe probe (.clk(clk));
