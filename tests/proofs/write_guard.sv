// The rules of a WriteGuard, which accel/src/heapwire/memory/WriteGuard.scala says in words: for any master that keeps
// to its part, any memory, any ranges, and a reset at any time.
//
// Macros: GUARD, the module; BYTES of a memory word; SOURCE, the width of a source id; RANGES; INCLUSIVE, 1
// if `limit` is in the range, else 0; ALIGNED, the lowest bits of all bounds that are 0; PORTS, which connects clk, base and limit to the module's ports; ORDER and PLACE,
// for the two parts of the rules; INVARIANTS, for what spares the prover its search.
module rules (
    input clk,
    input reset,
    input up_valid,
    input [2:0] up_opcode,
    input [2:0] up_param,
    input [`SOURCE-1:0] up_source,
    input [31:0] up_address,
    input [2:0] up_size,
    input [`BYTES-1:0] up_mask,
    input [8*`BYTES-1:0] up_data,
    input up_corrupt,
    input down_ready,
    input [32*`RANGES-1:0] base,
    input [32*`RANGES-1:0] limit
);
  localparam SHIFT = $clog2(`BYTES);
  localparam BLOCK = 6;  // log2 of a block's bytes
  localparam FULL = 3'd0, PARTIAL = 3'd1, GET = 3'd4;
  localparam SWAP = 3'd4;  // param of a compare-and-swap

  wire up_ready, down_valid, down_corrupt, violation;
  wire [2:0] down_opcode, down_param, down_size;
  wire [`SOURCE-1:0] down_source;
  wire [31:0] down_address;
  wire [`BYTES-1:0] down_mask;
  wire [8*`BYTES-1:0] down_data;

  `GUARD dut (
      .reset(reset),
      .io_up_valid(up_valid),
      .io_up_ready(up_ready),
      .io_up_payload_opcode(up_opcode),
      .io_up_payload_param(up_param),
      .io_up_payload_source(up_source),
      .io_up_payload_address(up_address),
      .io_up_payload_size(up_size),
      .io_up_payload_mask(up_mask),
      .io_up_payload_data(up_data),
      .io_up_payload_corrupt(up_corrupt),
      .io_down_valid(down_valid),
      .io_down_ready(down_ready),
      .io_down_payload_opcode(down_opcode),
      .io_down_payload_param(down_param),
      .io_down_payload_source(down_source),
      .io_down_payload_address(down_address),
      .io_down_payload_size(down_size),
      .io_down_payload_mask(down_mask),
      .io_down_payload_data(down_data),
      .io_down_payload_corrupt(down_corrupt),
      `PORTS,
      .io_violation(violation)
  );

  // ---- the master's part ------------------------------------------------------------------------------------------
  // `count`: beats of its request that were taken. A request's beats have all but mask and data in common.
  localparam HEAD = 3 + 3 + 32 + 3 + `SOURCE + 1;
  function is_put(input [HEAD-1:0] head);
    is_put = head[HEAD-1-:3] == FULL || head[HEAD-1-:3] == PARTIAL;
  endfunction
  function is_swap(input [HEAD-1:0] head);
    is_swap = is_put(head) && head[HEAD-4-:3] == SWAP;
  endfunction
  function [2:0] size_of(input [HEAD-1:0] head);
    size_of = head[3+`SOURCE-:3];
  endfunction
  function [4:0] beats_of(input [HEAD-1:0] head);
    beats_of = is_put(head) && size_of(head) > SHIFT ? 5'd1 << (size_of(head) - SHIFT) : 5'd1;
  endfunction
  function is_allowed(input [HEAD-1:0] head);
    is_allowed = (is_put(head) || head[HEAD-1-:3] == GET) && size_of(head) <= BLOCK &&
        (is_swap(head) ? size_of(head) == SHIFT + 1 :
                         (head[HEAD-39+BLOCK-:BLOCK] & ((7'd1 << size_of(head)) - 7'd1)) == 0);
  endfunction
  wire [HEAD-1:0] up = {up_opcode, up_param, up_address, up_size, up_source, up_corrupt};
  reg [4:0] count = 0;
  reg begun = 0;  // a reset comes first
  always @* if (!begun) assume (reset);
  always @(posedge clk) begin
    begun <= 1;
    if (up_valid && up_ready) count <= count + 1 == beats_of(up) ? 0 : count + 1;
    if (reset) count <= 0;
  end
  reg [HEAD-1:0] first;
  always @(posedge clk) if (up_valid && up_ready && count == 0) first <= up;
  always @* begin
    if (up_valid) assume (is_allowed(up));
    if (up_valid && count != 0) assume (up == first);
  end

  // ---- what is in the guard ---------------------------------------------------------------------------------------
  // Connected by the script: the word that the offered beat is for; of the held beat, the bytes that may be written,
  // where its word lies, and its mask; the count of beats.
  wire [31-SHIFT:0] guard_word;
  wire [`BYTES-1:0] guard_allowed;
  wire [`RANGES-1:0] guard_behindBase, guard_beforeEnd, guard_first, guard_last;
  wire [`BYTES-1:0] guard_held_payload_mask;
  wire [BLOCK-SHIFT-1:0] guard_beat;

  reg held = 0;
  reg [HEAD-1:0] head;
  reg [`BYTES-1:0] mask;
  reg [8*`BYTES-1:0] data;
  reg [4:0] position;  // of the beat in its request
  reg [31-SHIFT:0] word;
  always @(posedge clk) begin
    if (up_ready) begin
      held <= up_valid;
      {head, mask, data, position, word} <= {up, up_mask, up_data, count, guard_word};
    end
    if (reset) held <= 0;
  end
  wire put = is_put(head);

  // Ranges change only while nothing is here.
  reg [64*`RANGES-1:0] ranges_before;
  always @(posedge clk) ranges_before <= {base, limit};
  always @* if (held || count != 0) assume ({base, limit} == ranges_before);

  // Any byte of the offered word, and whether it lies in a range. `is_apart` says the same by word and byte, as the
  // guard does. Both are taken when the beat is, so that the prover needs carry chains for no other step.
  (* anyconst *) reg [SHIFT-1:0] lane;
  wire [31:0] offered_byte = {guard_word, lane};
  wire [`RANGES-1:0] inside, was_apart;
  reg [`RANGES-1:0] was_inside, behind_base, before_end, first_word, last_word;
  genvar r;
  for (r = 0; r < `RANGES; r = r + 1) begin : each
    wire [31:0] from = base[32*r+:32], to = limit[32*r+:32];
    always @* assume ((from | to) % (1 << `ALIGNED) == 0);
    wire [32-SHIFT:0] from_base = {1'b0, guard_word} - {1'b0, from[31:SHIFT]};
    wire [32-SHIFT:0] to_end = {1'b0, to[31:SHIFT]} - {1'b0, guard_word};
    function is_apart(input behind, input before, input is_first, input is_last);
      is_apart = behind && before && !(is_first && lane < from[SHIFT-1:0]) &&
          !(is_last && (`INCLUSIVE ? lane > to[SHIFT-1:0] : lane >= to[SHIFT-1:0]));
    endfunction
    assign inside[r] = from <= offered_byte && (`INCLUSIVE ? offered_byte <= to : offered_byte < to);
    assign was_apart[r] = is_apart(behind_base[r], before_end[r], first_word[r], last_word[r]);
    always @(posedge clk)
      if (up_ready) begin
        was_inside[r] <= inside[r];
        behind_base[r] <= !from_base[32-SHIFT];
        before_end[r] <= !to_end[32-SHIFT];
        first_word[r] <= from_base == 0;
        last_word[r] <= to_end == 0;
      end
  end

  // ---- the rules --------------------------------------------------------------------------------------------------
  // The memory counts beats itself.
  reg [4:0] memory_count = 0;
  wire [HEAD-1:0] down = {down_opcode, down_param, down_address, down_size, down_source, down_corrupt};
  always @(posedge clk) begin
    if (down_valid && down_ready) memory_count <= memory_count + 1 == beats_of(down) ? 0 : memory_count + 1;
    if (reset) memory_count <= 0;
  end
  wire [31-SHIFT:0] memory_word = down_address[31:SHIFT] | (is_swap(down) ? 0 : memory_count);

  wire refused = put && (mask & ~guard_allowed) != 0;
  reg was_refused = 0;
  always @(posedge clk) was_refused <= !reset && down_valid && down_ready && refused;
  always @* begin
    if (!reset) begin
`ifdef ORDER
      // Nothing is lost, doubled or out of order, and nothing waits for anything but the memory.
      assert (down_valid == held);
      assert (up_ready == (!held || down_ready));
      if (held) begin
        assert (down == {put ? PARTIAL : head[HEAD-1-:3], head[HEAD-4:0]});
        assert (down_data == data);
      end
      // A beat is refused but for one reason, a byte outside; the memory writes the word that was checked.
      if (held && put) begin
        assert (down_mask == (refused ? 0 : mask));
        assert (memory_word == word);
      end
      assert (violation == was_refused);
`endif
`ifdef PLACE
      // No byte outside is written, and none inside is a reason to refuse. This holds for any byte, so for each.
      if (held && put) begin
        if (down_mask[lane]) assert (was_inside != 0);
        assert (guard_allowed[lane] == (was_inside != 0));
      end
`endif
`ifdef INVARIANTS
      // All count alike, what was taken was allowed, and the guard knows where its word is.
      assert (guard_beat == count);
      assert (memory_count == (held ? position : count));
      if (held) begin
        assert (is_allowed(head) && position + 1 == (count == 0 ? beats_of(head) : count));
        if (put) assert (word == (head[HEAD-7-:32-SHIFT] | (is_swap(head) ? 0 : position)));
        assert (guard_held_payload_mask == mask);
        assert (was_inside == was_apart);
        assert ({guard_behindBase, guard_beforeEnd} == {behind_base, before_end});
        assert ({guard_first, guard_last} == {first_word, last_word});
      end
      if (held && count != 0) assert (head == first);
      if (count != 0) assert (is_allowed(first) && count < beats_of(first));
`endif
    end
  end
endmodule
