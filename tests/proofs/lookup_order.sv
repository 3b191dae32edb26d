// What the shared cache's look-up says of a block's writes to DRAM (accel/src/heapwire/memory/cache/Lookup.scala): a
// fetch of a block waits for the newest write of it. docs/reference/proofs.md has the rules in words. They follow one
// block, which the solver chooses.
//
// Macros: STEP, for the step of an induction: all rules hold in the first cycle, which may be any, and shall hold in the
// second; NEVER, for a rule that is wrong: no fetch has to wait.
module rules (
    input clk,
    input reset,
    input coming,
    input [3:0] block,
    input [4:0] offset,
    input outside,
    input offered,
    input port,
    input put,
    input exclusive,
    input passing,
    input [2:0] size,
    input [7:0] needed,
    input [7:0] written,
    input roomy,
    input drains
);
  wire ready, lane_valid, fetch_valid, pending, write_valid;
  wire [1:0] set, tag;
  wire [3:0] fetched;
  wire [8:0] after;
  wire [31:0] address = {22'h100000, outside, block, offset};
  reg [31:0] arrived;
  reg present;  // a request has arrived, and is not taken
  reg [8:0] decided, drained;
  Lookup dut (
      .clk(clk),
      .reset(reset),
      .io_arrival_valid(offered && present),
      .io_arrival_ready(ready),
      .io_arrival_payload_request_origin_port(port),
      .io_arrival_payload_request_put(put),
      .io_arrival_payload_request_swap(1'b0),
      .io_arrival_payload_request_exclusive(exclusive),
      .io_arrival_payload_request_passing(passing),
      .io_arrival_payload_request_address(arrived),
      .io_arrival_payload_request_size(size),
      .io_arrival_payload_needed(needed),
      .io_arrival_payload_written(written),
      .io_coming_valid(coming),
      .io_coming_payload(address),
      .io_roomy(roomy),
      .io_sequences_0_decided(decided),
      .io_sequences_0_drained(drained),
      .io_lane_valid(lane_valid),
      .io_lane_payload_set(set),
      .io_lane_payload_tag(tag),
      .io_fetch_valid(fetch_valid),
      .io_fetch_payload_block(fetched),
      .io_fetch_payload_after(after),
      .io_fetch_payload_pending(pending),
      .io_write_valid(write_valid)
  );

`ifdef STEP
  reg first_cycle = 1;
  always @(posedge clk) first_cycle <= 0;
  always @* assume (!reset);
`define RULE(x) begin assume (!first_cycle || (x)); assert (first_cycle || (x)); end
`else
  reg begun = 0;  // the reset
  always @(posedge clk) begun <= 1;
  always @* assume (reset == !begun);
`define RULE(x) assert (x);
`endif

  // A request arrives when the one before it is taken, and stays. Writes are drained in order; few are under way.
  always @* begin
    if (coming) assume (!present || offered && ready);
    if (drains) assume (drained != decided);
    if (write_valid) assume (decided - drained < 9'd31);
  end
  always @(posedge clk) begin
    if (coming) arrived <= address;
    present <= !reset && (coming || present && !(offered && ready));
    decided <= reset ? 0 : decided + write_valid;
    drained <= reset ? 0 : drained + drains;
  end

  // The block's newest write, while it is not drained.
  (* anyconst *) wire [3:0] any;
  reg open;
  reg [8:0] newest;
  always @(posedge clk) begin
    if (drains && drained + 9'd1 == newest) open <= 0;
    if (write_valid && {tag, set} == any) {open, newest} <= {1'b1, decided + 9'd1};
    if (reset) open <= 0;
  end

  // ---- what the induction wants ------------------------------------------------------------------------------------
  // Connected by the script: of the requests that are compared (c), decided (d), and that was decided last.
  wire [143:0] buckets;
  wire [2:0] busy;
  wire known, follows, c_valid, c_follows, d_valid, d_follows;
  wire [31:0] c_address, d_address;
  wire [8:0] c_sequence, d_sequence, last_sequence;
  wire [1:0] hits, present_0_1, tag_0, tag_1, last_tag;
  wire last_resident, last_present;
  wire [3:0] a = arrived[8:5], c = c_address[8:5], d = d_address[8:5];
  reg any_last;
  reg [3:0] last;
  always @(posedge clk) begin
    if (d_valid) last <= d;
    any_last <= !reset && (any_last || d_valid);
  end
  function same_set(input [3:0] x, input [3:0] y);
    same_set = x[1:0] == y[1:0];
  endfunction
  wire any_before = c_valid || d_valid || any_last;
  wire [3:0] before = c_valid ? c : d_valid ? d : last;  // the request before the one that arrived
`ifndef NEVER
  always @* if (!reset) begin
    `RULE(decided - drained <= 9'd31)
    if (open) `RULE(newest - drained - 9'd1 < decided - drained && buckets[9*any+:9] == newest)
    // Who waits for whom.
    if (any_before || present) `RULE(known)
    if (known && !present) `RULE(any_before && before == a)
    if (present && follows) `RULE(any_before && before == a)
    if (present && c_valid && same_set(c, a)) `RULE(busy[2])
    if (present && d_valid && same_set(d, a)) `RULE(busy[1])
    if (c_valid && !c_follows && d_valid) `RULE(!same_set(c, d))
    if (c_valid && c_follows) `RULE(d_valid ? c == d : any_last && c == last)
    if (d_valid && d_follows) `RULE(any_last && d == last)
    // What each knows of the newest write.
    if (open && c_valid && !c_follows && c == any) `RULE(c_sequence == newest)
    if (open && d_valid && !d_follows && d == any) `RULE(d_sequence == newest)
    if (open && any_last && last == any) `RULE(last_sequence == newest)
    // The victim is another block.
    if (d_valid) `RULE(hits == {present_0_1[1] && tag_1 == d[3:2], present_0_1[0] && tag_0 == d[3:2]})
    if (any_last && !last_resident && last_present) `RULE(last_tag != last[3:2])
  end
`endif

  // ---- the rules ---------------------------------------------------------------------------------------------------
  wire waits = fetch_valid && fetched == any && open;
  always @* if (!reset) begin
`ifdef NEVER
    assert (!waits);
`else
    if (waits) `RULE(pending && after == newest)
    if (write_valid) `RULE(lane_valid)
`endif
  end
endmodule
