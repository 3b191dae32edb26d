// The rules of the command front end (accel/src/heapwire/core/FrontEnd.scala), from the core's custom-0 instructions to
// the units' commands and completions: for any core that keeps to CommandPort, any units that keep to UnitPort, and a
// reset of the core or of everything at any time. docs/reference/proofs.md has them in words. They follow one tag,
// which the solver chooses, so they hold for all.
//
// Macros: TAG, the width of a tag; DEPTH, the width of a queue's count; UNITS; KINDS; KIND_OF, the kind of each unit, 3
// bits each; FIELDS, whether there are field instructions; CAPABILITY, SIZES, PROGRAM, words of `info`; DELAY, in cycles;
// PORTS, which connects the units. And which rules are wanted: COMMANDS, with INVARIANTS or without, or PROGRESS; or
// NEVER, which is wrong: no tag is ever released.
module rules (
    input clk,
    input reset,
    input request_valid,
    input request_field,
    input request_posted,
    input [2:0] request_kind,
    input [6:0] request_function,
    input [31:0] request_rs1,
    input [31:0] request_rs2,
    input reading,
    input trap,
    input interrupt,
    input abandon,
    input stores_drained,
    input [`UNITS-1:0] command_ready,
    input [`UNITS-1:0] completion_valid,
    input [`TAG*`UNITS-1:0] completion_tag,
    input [8*`UNITS-1:0] completion_status,
    input [128*`UNITS-1:0] completion_results
);
  localparam TAGS = 1 << `TAG;
  localparam STAGE = 3'd0, SUBMIT = 3'd1, WAIT = 3'd2, POLL = 3'd3, RESULT = 3'd4, RELEASE = 3'd5, INFO = 3'd6;
  localparam [31:0] PENDING = -1, BAD_TAG = -2;
  localparam [3*`UNITS-1:0] KIND_OF = `KIND_OF;

  wire response_valid;
  wire [31:0] response;
  wire [`UNITS-1:0] command_valid, completion_ready;
  wire [`TAG*`UNITS-1:0] command_tag;

  FrontEnd dut (
      .clk(clk),
      .reset(reset),
      .io_command_request_valid(request_valid),
      .io_command_request_payload_field(request_field),
      .io_command_request_payload_posted(request_posted),
      .io_command_request_payload_kind(request_kind),
      .io_command_request_payload_function(request_function),
      .io_command_request_payload_rs1(request_rs1),
      .io_command_request_payload_rs2(request_rs2),
      .io_command_response_valid(response_valid),
      .io_command_response_payload(response),
      .io_command_reading(reading),
      .io_command_trap(trap),
      .io_command_interrupt(interrupt),
      .io_abandon(abandon),
      .io_storesDrained(stores_drained),
      `PORTS
  );

  // In the front end, connected by the script: a command is accepted, with which tag, for which kind; a tag is freed.
  wire accept, free;
  wire [`TAG-1:0] accepted_tag, freed_tag;
  wire [`KINDS-1:0] wanted;
  // What answers are made of: a tag's status, two words of results, and how many tags are complete and not released.
  wire [7:0] status;
  wire [`TAG:0] number;
  wire [31:0] word_0, word_1;
  // The same, for the invariants.
  wire active, known, complete, available, was_available;
  wire [2:0] current_kind;
  wire current_field, current_posted, large;
  wire [6:0] current_function;
  wire [31:0] current_rs1, current_rs2;
  wire [TAGS-1:0] table_owned, table_running;
  localparam GROUP = TAGS < 4 ? TAGS : 4;
  wire [TAGS/GROUP-1:0] open;
  localparam QUEUE = 1 << (`DEPTH - 1);
  wire [`KINDS*`DEPTH-1:0] queue_count;
  wire [`KINDS*(`DEPTH-1)-1:0] queue_in, queue_out;
  wire [`KINDS-1:0] queue_room;
  wire [`KINDS*QUEUE*`TAG-1:0] queue_tags;

  // ---- the core's part --------------------------------------------------------------------------------------------
  reg begun = 0;  // a reset comes first
  always @(posedge clk) begun <= 1;
  always @* if (!begun) assume (reset);

  // `busy`: the core waits for an answer. `first`: the cycle after a custom-0 instruction.
  reg busy, first;
  reg field, posted;
  reg [2:0] kind;
  reg [6:0] operation;
  reg [31:0] rs1, rs2;
  always @(posedge clk) begin
    busy <= !reset && !abandon && (request_valid ? !request_posted : busy && !response_valid);
    first <= !reset && !abandon && request_valid && !request_field;
    if (request_valid) begin
      field <= request_field;
      posted <= request_posted;
      kind <= request_kind;
      operation <= request_function;
      rs1 <= request_rs1;
      rs2 <= request_rs2;
    end
  end
  always @* begin
    if (request_valid) begin
      assume (!busy);
      assume (reading == (!request_field && request_kind == RESULT));
      if (request_field) assume (`FIELDS && !request_posted);
      if (!request_field) begin
        if (request_kind == STAGE) assume (request_posted && request_function < 3);
        else assume (!request_posted || request_kind == RELEASE);
      end
    end
  end

  // ---- the units' part --------------------------------------------------------------------------------------------
  // `has`: a bit for each unit and tag. A unit completes what it has, and an offer stays until it is taken.
  reg [TAGS*`UNITS-1:0] has;
  reg [`UNITS-1:0] offered;
  reg [`TAG*`UNITS-1:0] offered_tag;
  reg [8*`UNITS-1:0] offered_status;
  reg [128*`UNITS-1:0] offered_results;
  integer u;
  always @(posedge clk) begin
    offered <= reset ? 0 : completion_valid & ~completion_ready;
    offered_tag <= completion_tag;
    offered_status <= completion_status;
    offered_results <= completion_results;
    for (u = 0; u < `UNITS; u = u + 1) begin
      if (completion_valid[u] && completion_ready[u]) has[TAGS*u+completion_tag[`TAG*u+:`TAG]] <= 0;
      if (command_valid[u] && command_ready[u]) has[TAGS*u+command_tag[`TAG*u+:`TAG]] <= 1;
    end
    if (reset) has <= 0;
  end
  always @*
    for (u = 0; u < `UNITS; u = u + 1) begin
      if (completion_valid[u]) assume (has[TAGS*u+completion_tag[`TAG*u+:`TAG]]);
      if (offered[u]) begin
        assume (completion_valid[u]);
        assume (completion_tag[`TAG*u+:`TAG] == offered_tag[`TAG*u+:`TAG]);
        assume (completion_status[8*u+:8] == offered_status[8*u+:8]);
        assume (completion_results[128*u+:128] == offered_results[128*u+:128]);
      end
    end

  // ---- one tag ----------------------------------------------------------------------------------------------------
  (* anyconst *) wire [`TAG-1:0] any;

  // This cycle's events of the tag.
  wire accepted = accept && accepted_tag == any;
  wire freed = free && freed_tag == any;
  reg [`UNITS-1:0] given, offers, completed, at_unit;
  reg [`KINDS-1:0] leaves, offers_kind, idle_kind;  // of any tag, by kind
  always @* begin
    leaves = 0;
    offers_kind = 0;
    idle_kind = 0;
    for (u = 0; u < `UNITS; u = u + 1) begin
      offers[u] = command_valid[u] && command_tag[`TAG*u+:`TAG] == any;
      given[u] = offers[u] && command_ready[u];
      completed[u] = completion_valid[u] && completion_ready[u] && completion_tag[`TAG*u+:`TAG] == any;
      at_unit[u] = has[TAGS*u+any];
      if (command_valid[u]) offers_kind[KIND_OF[3*u+:3]] = 1;
      if (command_valid[u] && command_ready[u]) leaves[KIND_OF[3*u+:3]] = 1;
      if (has[TAGS*u+:TAGS] == 0) idle_kind[KIND_OF[3*u+:3]] = 1;
    end
  end

  // `owned`: the core may ask for the tag. `waiting`: its command is on its way to a unit of kind `to`, behind `ahead`
  // others. A command is accepted in the cycle before its answer.
  reg owned, waiting;
  reg [`KINDS-1:0] to;
  reg [`DEPTH:0] ahead;
  reg [`KINDS*(`DEPTH+1)-1:0] waits;  // commands on their way, by kind
  integer k;
  always @(posedge clk) begin
    if (freed) owned <= 0;
    if (|given) waiting <= 0;
    if (|(leaves & to)) ahead <= ahead - 1;
    if (accepted) begin
      owned <= 1;
      waiting <= 1;
      to <= wanted;
      for (k = 0; k < `KINDS; k = k + 1)
        if (wanted[k]) ahead <= waits[(`DEPTH+1)*k+:`DEPTH+1] - leaves[k];
    end
    for (k = 0; k < `KINDS; k = k + 1)
      waits[(`DEPTH+1)*k+:`DEPTH+1] <= waits[(`DEPTH+1)*k+:`DEPTH+1] + (accept && wanted[k]) - leaves[k];
    if (abandon) owned <= 0;
    if (reset) begin
      owned <= 0;
      waiting <= 0;
      waits <= 0;
    end
  end
  wire finished = !waiting && at_unit == 0;

  // What was true one and two cycles ago.
  reg was_accept, was_owned, was_finished, finished_before, was_interrupt, was_reset = 1;
  reg [`TAG-1:0] was_tag;
  reg [`TAG:0] was_number;
  reg [7:0] was_status;
  reg [31:0] was_word;
  always @(posedge clk) begin
    was_accept <= accept && !abandon && !reset;
    was_tag <= accepted_tag;
    was_number <= number;
    was_status <= status;
    was_word <= operation[0] ? word_1 : word_0;
    was_owned <= owned;
    was_finished <= finished;
    finished_before <= was_finished;
    was_interrupt <= interrupt;
    was_reset <= reset;
  end

  wire answered = response_valid && !field;
  wire about = kind == WAIT || kind == POLL || kind == RESULT || kind == RELEASE;

`ifdef INVARIANTS
  // ---- invariants of the front end --------------------------------------------------------------------------------
  // They are proved, too: they spare the solver the search for them. They are about a state, so they must not be clocked.
  reg seen = 0;  // an instruction has come
  always @(posedge clk) seen <= seen || request_valid;
  reg [`DEPTH-1:0] count;
  reg [`DEPTH-2:0] place;
  integer q, g;
  always @* begin
    count = 0;
    place = 0;
    if (!reset && begun) begin
      if (seen) begin
        i_kind : assert (kind == current_kind && operation == current_function && field == current_field);
        i_operands : assert (rs1 == current_rs1 && rs2 == current_rs2 && posted == current_posted);
        i_large : assert (large == |rs1[31:7]);
      end
      if (active || busy || first) i_seen : assert (seen);
      if (busy) i_busy : assert (!posted);
      if (active && !(kind == RELEASE && posted)) i_active : assert (busy);
      if (active) i_field : assert (!field && kind != STAGE);
      if (active && (kind == RELEASE || kind == POLL || kind == RESULT)) i_first : assert (first);
      if (first && kind != STAGE) i_begins : assert (active && !field);
      if (was_accept) i_accept : assert (busy && !active);
      if (active && about && rs1 == any) begin
        i_known : assert (known == owned);
        if (complete) i_complete : assert (finished);
        if (was_finished) i_completes : assert (complete);
      end
      i_owned : assert (owned == table_owned[any]);
      i_running : assert (table_running[any] == !finished);
      i_one : assert ((at_unit & (at_unit - 1)) == 0 && !(waiting && at_unit != 0));
      if (available) i_next : assert (!table_owned[accepted_tag] && !table_running[accepted_tag]);
      if (!was_available)
        for (g = 0; g < TAGS / GROUP; g = g + 1)
          if (open[g]) assert (~(table_owned[GROUP*g+:GROUP] | table_running[GROUP*g+:GROUP]) != 0);
      if (waiting) i_to : assert (to != 0 && (to & (to - 1)) == 0);
      for (k = 0; k < `KINDS; k = k + 1) begin
        count = queue_count[`DEPTH*k+:`DEPTH];
        place = queue_out[(`DEPTH-1)*k+:`DEPTH-1];
        assert (count <= QUEUE && waits[(`DEPTH+1)*k+:`DEPTH+1] == count);
        place = place + count;
        assert (queue_in[(`DEPTH-1)*k+:`DEPTH-1] == place);
        if (queue_room[k] && count == QUEUE) assert (!active);
        if (waiting && to[k]) assert (ahead < count);
        for (q = 0; q < QUEUE; q = q + 1) begin
          place = queue_out[(`DEPTH-1)*k+:`DEPTH-1];
          place = place + q;
          if (q < count)
            assert ((queue_tags[(QUEUE*k+place)*`TAG+:`TAG] == any) == (waiting && to[k] && ahead == q));
        end
      end
    end
  end
`endif

`ifdef COMMANDS
  always @*
    if (!reset && begun) begin
      // A command is accepted only for a `submit`, once, for a kind that has units, and with a tag that is free.
      if (accept) begin
        a_submit : assert (busy && !field && kind == SUBMIT && !was_accept);
        a_kind : assert (wanted != 0 && (wanted & (wanted - 1)) == 0);
      end
      if (accepted) a_free : assert (!owned && finished);
      // The answer to `submit` says whether it was accepted, and its tag.
      if (was_accept) a_answer : assert (answered && kind == SUBMIT && response == was_tag);
      if (answered && kind == SUBMIT && !was_accept) a_refused : assert (response[31]);
      // A unit of that kind is offered the command, in the order of acceptance, and once.
      for (u = 0; u < `UNITS; u = u + 1)
        if (offers[u]) assert (waiting && ahead == 0 && to[KIND_OF[3*u+:3]]);
      c_one : assert ((given & (given - 1)) == 0);
      if (waiting && ahead == 0 && |(leaves & to)) c_order : assert (|given);
      // A tag is freed only by a `release` of it, of a command that is complete, and by each of these.
      if (freed) f_release : assert (first && kind == RELEASE && rs1 == any && owned && finished);
      if (first && kind == RELEASE && rs1 == any && owned && was_finished) f_each : assert (freed);
      // Answers about a tag.
      if (answered && about && rs1 >= TAGS) w_large : assert (response == BAD_TAG);
      if (answered && about && rs1 == any) begin
        if (!was_owned) w_unknown : assert (response == BAD_TAG);
        else if (!was_finished) w_pending : assert (response == PENDING);
        else if (!finished_before && response == PENDING) ;
        else if (kind == RELEASE) w_release : assert (response == 0);
        else if (kind == RESULT) w_result : assert (response == was_word);
        else w_status : assert (response == was_status);
      end
      if (answered && kind == WAIT && response == PENDING) w_waits : assert (was_interrupt);
      // Words of `info`; the cluster has no counters and no modes.
      if (answered && kind == INFO)
        case (rs1)
          0: i_capability : assert (response == `CAPABILITY);
          1: i_sizes : assert (response == `SIZES);
          2: i_tags : assert (response == was_number);
          6: i_program : assert (response == `PROGRAM);
          default: i_other : assert (response == 0);
        endcase
    end
`endif

`ifdef PROGRESS
  // Cycles for which a command could be offered and is not. A read of results takes the memory for a cycle.
  reg [5:0] delay;
  wire due = waits[`DEPTH:0] != 0 && idle_kind[0] && !offers_kind[0];
  always @(posedge clk) delay <= reset || !due ? 0 : reading ? delay : delay + 1;
  always @* if (!reset && begun) p_soon : assert (delay <= `DELAY);
`endif

`ifdef NEVER
  always @* if (!reset && begun) n_never : assert (!freed);
`endif
endmodule
