// The exclusion of claims (accel/src/heapwire/cereal/serialize: ClaimTable, ClaimArbiter): of two units that visit the
// same objects and read ahead, only one claims an object. docs/reference/proofs.md has the rules in words. They follow
// one object, which the solver chooses; the units may claim any others besides.
//
// What stands around the tables is modelled: a unit's reads are judged in order, as by HeaderManager; a read sees what
// memory held at any time since it was requested, or, until the claim is reported to the unit, what its
// MemoryAccessInterface had fetched before.
//
// Macros: STEP, for the step of an induction: all rules hold in the first cycle, which may be any, and shall hold in the
// second; INVARIANTS, for what the induction wants besides; NEVER, for a rule that is wrong: no unit is refused.
module rules (
    input clk,
    input reset,
    input [1:0] issued,
    input [1:0] issues_it,
    input [1:0] is_fresh,
    input [1:0] willing,
    input [1:0] claims_other,
    input [3:0] other,
    input [1:0] a_ready,
    input lands,
    input [1:0] d_valid,
    input [5:0] d_source
);
  localparam READS = 4;  // under way, of a unit

  wire [1:0] request, grant, conflict, claims, hit, resolved, allowed, forget_valid, a_valid;
  wire [63:0] address, look, forget;
  wire [1:0] is_array;
  wire [5:0] a_source;
  wire [63:0] a_address;
  wire [31:0] a_mask;
  wire [255:0] a_data;
`define UNIT(u) \
      .io_units_``u``_request(request[u]), \
      .io_units_``u``_claim_address(address[32*u+:32]), \
      .io_units_``u``_claim_relative(29'd0), \
      .io_units_``u``_claim_isArray(is_array[u]), \
      .io_units_``u``_grant(grant[u]), \
      .io_units_``u``_conflict(conflict[u]), \
      .io_units_``u``_claims(claims[u]), \
      .io_units_``u``_look(look[32*u+:32]), \
      .io_units_``u``_hit(hit[u]), \
      .io_units_``u``_issued(issued[u]), \
      .io_units_``u``_resolved(resolved[u]), \
      .io_units_``u``_allowed(allowed[u]), \
      .io_units_``u``_forget_valid(forget_valid[u]), \
      .io_units_``u``_forget_payload(forget[32*u+:32]), \
      .io_units_``u``_bus_a_valid(a_valid[u]), \
      .io_units_``u``_bus_a_ready(a_ready[u]), \
      .io_units_``u``_bus_a_payload_source(a_source[3*u+:3]), \
      .io_units_``u``_bus_a_payload_address(a_address[32*u+:32]), \
      .io_units_``u``_bus_a_payload_mask(a_mask[16*u+:16]), \
      .io_units_``u``_bus_a_payload_data(a_data[128*u+:128]), \
      .io_units_``u``_bus_d_valid(d_valid[u]), \
      .io_units_``u``_bus_d_payload_source(d_source[3*u+:3]), \
      .io_units_``u``_bus_d_payload_denied(1'b0)
  Claims dut (
      .clk(clk),
      .reset(reset),
      `UNIT(0),
      `UNIT(1)
  );

`ifdef STEP
  reg first_cycle = 1;
  always @(posedge clk) first_cycle <= 0;
  always @* assume (!reset);
`define RULE(x) begin assume (!first_cycle || (x)); assert (first_cycle || (x)); end
`else
  reg [1:0] begun = 0;  // the reset, of two cycles: the arbiter knows the counts a cycle later
  always @(posedge clk) if (begun != 2) begun <= begun + 1;
  always @* assume (reset == (begun != 2));
`define RULE(x) assert (x);
`endif

  // ---- the object, and its owner word in memory --------------------------------------------------------------------
  // It is at any of four places in a block of 32 bytes; the others are in another block.
  (* anyconst *) wire [1:0] any;
  (* anyconst *) wire any_is_array;
  wire [31:0] it = {27'h2000000, any, 3'd0};
  wire [31:0] owner_at = it + (any_is_array ? 12 : 8);

  // `claimed` by `owner`: a unit has claimed it. `left`: its Put has left the unit. `landed`: it is in memory.
  reg claimed, owner, left, landed;
  wire [1:0] claims_it, puts_it;
  reg [2:0] its_source;
  // The unit may still have the word from before the Put.
  reg [1:0] stale;
  wire [1:0] sees_free;
  genvar u, g, k;
  for (u = 0; u < 2; u = u + 1) begin : owning
    assign claims_it[u] = claims[u] && address[32*u+:32] == it;
    assign puts_it[u] = a_valid[u] && a_ready[u] && a_address[32*u+4+:28] == owner_at[31:4] &&
        a_mask[16*u+owner_at[3:0]];
    assign sees_free[u] = landed ? stale[u] : !(left && owner == u);
    always @(posedge clk) begin
      // The unit's own Put passes ahead of the reads behind it.
      if (lands) stale[u] <= owner != u;
      if (forget_valid[u] && forget[32*u+5+:27] == owner_at[31:5]) stale[u] <= 0;
      if (reset) stale[u] <= 0;
    end
  end
  always @(posedge clk) begin
    if (claims_it != 0) {claimed, owner} <= {1'b1, claims_it[1]};
    if (puts_it != 0) {left, its_source} <= {1'b1, puts_it[1] ? a_source[5:3] : a_source[2:0]};
    if (lands) landed <= 1;
    if (reset) {claimed, left, landed} <= 0;
  end
  always @* if (lands) assume (left && !landed);

  // ---- the units ---------------------------------------------------------------------------------------------------
  // Reads under way, the oldest at 0: of the object; requested while the unit could read it as free.
  reg [READS-1:0] of_it[0:1], may_be_free[0:1];
  reg [2:0] reads[0:1];
  reg [1:0] settled;  // the oldest read was the oldest in the cycle before
  reg [1:0] asked;
  reg [31:0] asked_at[0:1];
  reg [7:0] puts[0:1];  // sources
  wire [1:0] free;  // the oldest read finds a free object
  for (u = 0; u < 2; u = u + 1) begin : each
    wire here = reads[u] != 0 && settled[u];
    wire is_it = of_it[u][0];
    assign address[32*u+:32] = is_it ? it : {27'h2000002, other[2*u+:2], 3'd0};
    assign is_array[u] = is_it && any_is_array;
    assign look[32*u+:32] = address[32*u+:32];
    assign free[u] = is_it ? !hit[u] && is_fresh[u] : claims_other[u];
    assign request[u] = here && free[u] && willing[u];
    assign resolved[u] = here && (free[u] ? request[u] && grant[u] : willing[u]);
    always @* begin
      if (issued[u]) assume (allowed[u] && reads[u] < READS);
      if (here && is_it) begin
        if (is_fresh[u]) assume (may_be_free[u][0]);
        else assume (landed);
      end
      // An object that is wanted stays the same.
      if (asked[u]) assume (address[32*u+:32] == asked_at[u] && free[u]);
      // Each Put is answered once, that of the object when it is in memory.
      if (d_valid[u]) begin
        assume (puts[u][d_source[3*u+:3]]);
        if (left && !landed && owner == u) assume (d_source[3*u+:3] != its_source);
      end
    end
    wire [2:0] at = reads[u] - resolved[u];
    always @(posedge clk) begin
      settled[u] <= reads[u] != 0 && !resolved[u];
      if (resolved[u]) begin
        of_it[u] <= of_it[u] >> 1;
        may_be_free[u] <= may_be_free[u] >> 1;
      end
      if (issued[u]) begin
        of_it[u][at] <= issues_it[u];
        may_be_free[u][at] <= sees_free[u];
      end
      reads[u] <= reset ? 0 : reads[u] + issued[u] - resolved[u];
      asked[u] <= !reset && request[u] && !grant[u];
      asked_at[u] <= address[32*u+:32];
      if (d_valid[u]) puts[u][d_source[3*u+:3]] <= 0;
      if (a_valid[u] && a_ready[u]) puts[u][a_source[3*u+:3]] <= 1;
      if (reset) begin
        settled[u] <= 0;
        puts[u] <= 0;
      end
    end
  end

  // ---- what spares the prover its search ---------------------------------------------------------------------------
  // Connected by the script. Of each table: its pointers, places, counts, and the Put that leaves. `passed` and `stamps`
  // are of its own reads, then of the other unit's.
  wire [5:0] head, sent, told, set, first;
  wire [7:0] valid, due_0, due_1;
  wire [231:0] tags;
  wire [495:0] claim;
  wire [15:0] issued_count, resolved_count;
  wire [11:0] passed;
  wire [127:0] stamps;
  wire [1:0] put_valid, second, delay_1, delay_2, settles;
  wire [5:0] put_source;
  // Of the arbiter.
  wire [31:0] arbiter_address;
  wire [1:0] arbiter_asking_last, arbiter_telling_last;
  wire [15:0] progress_issued, progress_resolved;

`ifdef INVARIANTS
  always @* if (!reset) `RULE(^arbiter_asking_last && ^arbiter_telling_last)
  wire [7:0] holds;  // the object is in that place
  for (u = 0; u < 2; u = u + 1) begin : of_table
    localparam v = 1 - u;
    wire [2:0] size = head[3*u+:3] - first[3*u+:3], sent_to = sent[3*u+:3] - first[3*u+:3];
    wire [2:0] told_to = told[3*u+:3] - first[3*u+:3], set_to = set[3*u+:3] - first[3*u+:3];
    wire [2:0] own_to = passed[6*u+:3] - first[3*u+:3], other_to = passed[6*u+3+:3] - first[3*u+:3];
    wire [7:0] count = issued_count[8*u+:8] - resolved_count[8*u+:8];
    wire [7:0] lag = issued_count[8*u+:8] - progress_issued[8*u+:8];
    wire [7:0] late = resolved_count[8*u+:8] - progress_resolved[8*u+:8];
    wire [1:0] put_from = put_source[3*u+:2] - first[3*u+:2];
    wire held = holds[4*u+:4] != 0;
    always @* if (!reset) begin
      // Pointers and counts.
      `RULE(set_to <= told_to && told_to <= sent_to && sent_to <= size && own_to <= set_to && other_to <= set_to)
      `RULE(told_to == set_to + delay_1[u] + delay_2[u] + settles[u])
      `RULE(count == reads[u] && size + reads[u] <= 4)
      if (allowed[u]) `RULE(size + reads[u] < 4)
      `RULE(lag <= 1 && late <= 1)
      if (second[u]) `RULE(sent_to < size)
      if (put_valid[u]) `RULE(put_from < size)
      // The arbiter: whose turn it is asked, and for what.
      if (grant[u]) `RULE(asked[u] && arbiter_address == asked_at[u])
      // Once no table has the object, nobody takes it for free.
      if (!claimed) `RULE(!left && !landed && !held)
      if (landed) `RULE(left)
      if (left) `RULE(claimed)
      if (owner == u) `RULE(!stale[u])
      if (!landed) `RULE(!stale[u])
      if (claimed && owner == u && !held) `RULE(landed && stale == 0)
      `RULE((holds[4*u+:4] & (holds[4*u+:4] - 4'd1)) == 0)
      if (reads[u] != 0 && settled[u] && of_it[u][0]) `RULE(hit[u] || !held)
      if (reads[u] != 0 && settled[u] && of_it[u][0] && hit[u]) `RULE(claimed && owner == u)
      if (reads[u] == 0) `RULE(!settled[u])
    end
    for (g = 0; g < READS; g = g + 1) begin : read
      always @* if (!reset && claimed && holds == 0 && g < reads[u]) `RULE(!(of_it[u][g] && may_be_free[u][g]))
    end
    for (g = 0; g < 4; g = g + 1) begin : place
      wire [1:0] from = g - first[3*u+:2];
      wire [1:0] next = g + 1;
      wire here = from < size;
      wire [31:0] at = claim[62*(4*u+g)+:32];
      wire array = claim[62*(4*u+g)+61];
      wire [31:0] word = at + (array ? 12 : 8);
      wire [7:0] own = stamps[64*u+8*g+:8], own_next = stamps[64*u+8*next+:8];
      wire [7:0] other_s = stamps[64*u+32+8*g+:8], other_next = stamps[64*u+32+8*next+:8];
      wire [7:0] own_left = own - resolved_count[8*u+:8], other_left = other_s - progress_resolved[8*v+:8];
      wire [7:0] own_since = issued_count[8*u+:8] - own, other_since = progress_issued[8*v+:8] - other_s;
      wire [7:0] other_due = other_s - resolved_count[8*v+:8];
      wire [7:0] own_step = own_next - own, other_step = other_next - other_s;
      assign holds[4*u+g] = valid[4*u+g] && tags[29*(4*u+g)+:29] == it[31:3];
      always @* if (!reset) begin
        `RULE(valid[4*u+g] == here)
        if (here) begin
          `RULE(tags[29*(4*u+g)+:29] == at[31:3] && at[2:0] == 0)
          `RULE(at == it ? array == any_is_array : at[31:5] == 27'h2000002 && !array)
        end
        // What is due is sent or will be; what is told is acknowledged.
        if (due_0[4*u+g] || due_1[4*u+g]) `RULE(here && from >= told_to)
        if (here && from >= sent_to) begin
          if (!(second[u] && from == sent_to)) `RULE(due_0[4*u+g])
          if (second[u] && from == sent_to) `RULE(word[3:2] == 3)
          if (word[3:2] == 3) `RULE(due_1[4*u+g])
        end
        if (puts[u][g]) `RULE(due_0[4*u+g])
        if (puts[u][4+g]) `RULE(due_1[4*u+g])
        if (here && (from > sent_to || from == sent_to && !second[u])) `RULE(!puts[u][g])
        if (here && from >= sent_to) `RULE(!puts[u][4+g])
        if (put_valid[u] && put_source[3*u+:2] == g) begin
          `RULE(put_source[3*u+2] ? from < sent_to && due_1[4*u+g] && !puts[u][4+g] : (from < sent_to || second[u] && from == sent_to) && due_0[4*u+g] && !puts[u][g])
          `RULE(a_address[32*u+4+:28] == word[31:4] + put_source[3*u+2])
          if (put_source[3*u+2]) `RULE(a_mask[16*u+:16] == 16'h000f)
          else `RULE(a_mask[16*u+:16] == (20'h000ff << word[3:0] & 20'h0ffff) && a_data[128*u+8*word[3:0]+:32] == u + 1)
        end
        // The object's Put, and what it changes.
        if (holds[4*u+g]) begin
          `RULE(claimed && owner == u)
          if (left) `RULE(its_source == g)
          if (left && !landed) `RULE(puts[u][g])
          if (left && due_0[4*u+g]) `RULE(puts[u][g])
          if (!left) `RULE(due_0[4*u+g] && !puts[u][g])
          if (!left && (from < sent_to || second[u] && from == sent_to))
            `RULE(put_valid[u] && put_source[3*u+:3] == g)
          if (!due_0[4*u+g]) `RULE(landed)
          if (from < told_to) `RULE(landed)
          // It is reported, and from then on no read is of an older copy.
          if (from < set_to + settles[u] + delay_2[u]) `RULE(stale == 0)
          else if (from < told_to) `RULE(stale == 0 || forget_valid[v] && forget[32*v+5+:27] == owner_at[31:5])
        end
        // Stamps: in order, never far from the reads; reads that may find the object free are older than its stamp.
        if (from >= own_to && from < set_to) begin
          `RULE($signed(own_left) >= -3 + $signed({1'b0, from - own_to[1:0]}) && $signed(own_left) <= 5)
          `RULE(own_since <= 12)
          if (from + 1 < set_to) `RULE(own_step <= 12)
        end
        if (from >= other_to && from < set_to) begin
          `RULE($signed(other_left) >= -3 + $signed({1'b0, from - other_to[1:0]}) && $signed(other_left) <= 6)
          `RULE(other_since <= 12)
          if (from + 1 < set_to) `RULE(other_step <= 12)
        end
      end
      for (k = 0; k < READS; k = k + 1) begin : of_read
        wire own_free = k < reads[u] && of_it[u][k] && may_be_free[u][k];
        wire other_free = k < reads[v] && of_it[v][k] && may_be_free[v][k];
        always @* if (!reset && holds[4*u+g]) begin
          if (own_free) `RULE(from >= own_to && (from >= set_to || $signed(own_left) > k))
          if (other_free) begin
            `RULE(from >= other_to && (from >= set_to || $signed(other_due) > k))
            if (from == set_to && settles[u])
              `RULE(k < $signed(progress_issued[8*v+:8] - resolved_count[8*v+:8]))
          end
        end
      end
    end
  end
`endif

  // ---- the rules ---------------------------------------------------------------------------------------------------
  wire refused_0 = request[0] && grant[0] && conflict[0] && of_it[0][0];
  wire refused_1 = request[1] && grant[1] && conflict[1] && of_it[1][0];
  integer i;
  always @* begin
    if (!reset) begin
`ifdef NEVER
      assert (!refused_0 && !refused_1);
`else
      `RULE(grant != 3 && claims_it != 3)
      if (claims_it != 0) `RULE(!claimed)
      for (i = 0; i < 2; i = i + 1) begin
        // Who finds the object in its table is its owner.
        if (reads[i] != 0 && settled[i] && of_it[i][0] && hit[i]) `RULE(claimed && owner == i)
        // A Put to the owner word is of the owner, and says so.
        if (puts_it[i]) begin
          `RULE(claimed && owner == i && !left)
          `RULE(a_data[128*i+8*owner_at[3:0]+:32] == i + 1)
        end
      end
      // Who is refused is not the owner.
      if (refused_0) `RULE(claimed && owner == 1)
      if (refused_1) `RULE(claimed && owner == 0)
`endif
    end
  end
endmodule
