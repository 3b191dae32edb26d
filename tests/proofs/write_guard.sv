// The rules of a WriteGuard, which accel/src/heapwire/memory/WriteGuard.scala says in words: for any master that keeps
// to its part, any memory, any ranges, and a reset at any time.
//
// Macros: GUARD, the module; BYTES of a memory word; SOURCE, the width of a source id; RANGES; ALL_RANGES, which
// connects base and limit to the module's ports; INDUCTION, for a proof that does not begin at the reset.
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
      .clk(clk),
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
      `ALL_RANGES,
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
        (is_swap(head) ? size_of(head) == SHIFT + 1 : (head[HEAD-39+BLOCK-:BLOCK] & ((7'd1 << size_of(head)) - 7'd1)) == 0);
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
  reg [HEAD-1:0] first, up_before;
  reg [9*`BYTES-1:0] word_before;
  reg offered = 0;
  always @(posedge clk) begin
    up_before <= up;
    word_before <= {up_mask, up_data};
    offered <= up_valid && !up_ready && !reset;
    if (up_valid && up_ready && count == 0) first <= up;
  end
  always @* begin
    if (up_valid) assume (is_allowed(up));
    if (offered) assume (up_valid && {up, up_mask, up_data} == {up_before, word_before});
    if (up_valid && count != 0) assume (up == first);
  end

  // ---- what is in the guard ---------------------------------------------------------------------------------------
  reg held = 0;
  reg [HEAD-1:0] head;
  reg [`BYTES-1:0] mask;
  reg [8*`BYTES-1:0] data;
  reg [4:0] position;  // of the beat in its request
  always @(posedge clk) begin
    if (up_ready) begin
      held <= up_valid;
      {head, mask, data, position} <= {up, up_mask, up_data, count};
    end
    if (reset) held <= 0;
  end
  wire put = is_put(head);

  // Ranges change only while no Put is here.
  reg [64*`RANGES-1:0] ranges_before;
  always @(posedge clk) ranges_before <= {base, limit};
  always @* if (held || count != 0) assume ({base, limit} == ranges_before);

  // ---- the rules --------------------------------------------------------------------------------------------------
  // The memory counts beats itself.
  reg [4:0] memory_count = 0;
  wire [HEAD-1:0] down = {down_opcode, down_param, down_address, down_size, down_source, down_corrupt};
  always @(posedge clk) begin
    if (down_valid && down_ready) memory_count <= memory_count + 1 == beats_of(down) ? 0 : memory_count + 1;
    if (reset) memory_count <= 0;
  end
  wire [31-SHIFT:0] memory_word = down_address[31:SHIFT] | (is_swap(down) ? 0 : memory_count);

  // Any byte of that word, and whether it lies in a range. `apart` says the same by word and byte, as the guard does.
  (* anyconst *) reg [SHIFT-1:0] lane;
  wire [31:0] any = {memory_word, lane};
  wire [`RANGES-1:0] inside, apart, behind_base, before_limit, first_word, last_word;
  genvar r;
  for (r = 0; r < `RANGES; r = r + 1) begin : each
    wire [31:0] from = base[32*r+:32], to = limit[32*r+:32];
    assign inside[r] = from <= any && any < to;
    assign behind_base[r] = memory_word >= from[31:SHIFT];
    assign before_limit[r] = memory_word <= to[31:SHIFT];
    assign first_word[r] = memory_word == from[31:SHIFT];
    assign last_word[r] = memory_word == to[31:SHIFT];
    assign apart[r] = behind_base[r] && before_limit[r] && !(first_word[r] && lane < from[SHIFT-1:0]) &&
        !(last_word[r] && lane >= to[SHIFT-1:0]);
  end

  // In the guard, connected by the script: the bytes of the beat that may be written, those that are to be, and how
  // many beats it counts.
  wire [`BYTES-1:0] guard_allowed, guard_held_payload_mask;
  wire [`RANGES-1:0] guard_behindBase, guard_beforeLimit, guard_first, guard_last;
  wire [BLOCK-SHIFT-1:0] guard_beat;
  wire refused = put && (mask & ~guard_allowed) != 0;
  reg was_refused = 0;
  always @(posedge clk) was_refused <= !reset && down_valid && down_ready && refused;
  always @* begin
    if (!reset) begin
      // Nothing is lost, doubled or out of order, and nothing waits for anything but the memory.
      assert (down_valid == held);
      assert (up_ready == (!held || down_ready));
      if (held) begin
        assert (down == {put ? PARTIAL : head[HEAD-1-:3], head[HEAD-4:0]});
        assert (down_data == data);
        // A byte outside is never written.
        if (put && down_mask[lane]) assert (apart != 0);
        // A beat is written but for one reason, a byte outside. This holds for any byte, so for each.
        assert (down_mask == (refused ? 0 : mask));
        if (put) assert (guard_allowed[lane] == (apart != 0));
      end
      assert (violation == was_refused);
      assert (apart == inside);
`ifdef INDUCTION
      // What the induction needs: all count alike, what was taken was allowed, and the guard knows where its word is.
      assert (guard_beat == count);
      assert (memory_count == (held ? position : count));
      if (held) begin
        assert (is_allowed(head) && position + 1 == (count == 0 ? beats_of(head) : count));
        assert (guard_held_payload_mask == mask);
        assert (guard_behindBase == behind_base && guard_beforeLimit == before_limit);
        assert (guard_first == first_word && guard_last == last_word);
      end
      if (held && count != 0) assert (head == first);
      if (count != 0) assert (is_allowed(first) && count < beats_of(first));
`endif
    end
  end
endmodule
