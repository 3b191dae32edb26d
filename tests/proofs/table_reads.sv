// What the engine's cache reads (accel/src/heapwire/protobuf/engine/memory/GranuleCache.scala): for any requests, any
// answers of memory, any bounds at any time, and a reset at any time. docs/reference/proofs.md has the rules in words.
// What the cache's memories hold may be anything at any time.
//
// Macros: BYTES of a memory word; SOURCE, the width of a source id; CLOCK, the name of the module's clock.
module rules (
    input clk,
    input reset,
    input request,
    input prefetch,
    input [31:0] request_address,
    input [31:0] prefetch_address,
    input request_is_object,
    input prefetch_is_object,
    input cancel,
    input rises,
    input down,
    input invalidate,
    input forget,
    input clear,
    input [31:0] tables_base,
    input [31:0] tables_limit,
    input [31:0] objects_base,
    input [31:0] objects_limit,
    input a_ready,
    input d_valid,
    input [`SOURCE-1:0] d_source,
    input d_denied,
    input [8*`BYTES-1:0] d_data
);
  localparam GET = 3'd4, BLOCK = 3'd6;

  wire a_valid;
  wire [2:0] a_opcode, a_size;
  wire [31:0] a_address;
  GranuleCache dut (
      .`CLOCK(clk),
      .reset(reset),
      .io_request_valid(request),
      .io_request_payload_address(request_address),
      .io_request_payload_isObject(request_is_object),
      .io_prefetch_valid(prefetch),
      .io_prefetch_payload_address(prefetch_address),
      .io_prefetch_payload_isObject(prefetch_is_object),
      .io_cancel(cancel),
      .io_rises(rises),
      .io_down(down),
      .io_tables_base(tables_base),
      .io_tables_limit(tables_limit),
      .io_objects_base(objects_base),
      .io_objects_limit(objects_limit),
      .io_invalidate(invalidate),
      .io_forget(forget),
      .io_clear(clear),
      .io_bus_a_valid(a_valid),
      .io_bus_a_ready(a_ready),
      .io_bus_a_payload_opcode(a_opcode),
      .io_bus_a_payload_size(a_size),
      .io_bus_a_payload_address(a_address),
      .io_bus_d_valid(d_valid),
      .io_bus_d_payload_source(d_source),
      .io_bus_d_payload_denied(d_denied),
      .io_bus_d_payload_corrupt(1'b0),
      .io_bus_d_payload_data(d_data)
  );
  // Connected by the script: the block that is looked up, in the cycle in which it is decided whether it is read.
  wire [25:0] number;
  wire is_object;

  // A block overlaps a range if its last byte is not below the range, and its first one not above. `apart` says the same
  // by block, as the cache does. Both are taken when it is decided, so that the prover needs carry chains for no other
  // step.
  wire [31:0] from = is_object ? objects_base : tables_base, to = is_object ? objects_limit : tables_limit;
  wire overlaps = from <= {number, 6'd63} && {number, 6'd0} < to;
  wire apart = !(number < from[31:6]) && {number, 1'b0} < {to[31:6], to[5:0] != 0};

  reg begun = 0;  // a reset comes first
  always @* if (!begun) assume (reset);
  // Of the cycle before: a Get waited; the block, and whether it may be read.
  reg a_waited, was_inside;
  reg [25:0] was_number;
  reg [31:0] address_before;
  always @(posedge clk) begin
    begun <= 1;
    a_waited <= !reset && a_valid && !a_ready;
    address_before <= a_address;
    was_inside <= apart;
    was_number <= number;
  end

  always @* begin
    assert (overlaps == apart);
    if (!reset) begin
      // Nothing is read but blocks that overlap the range of their kind; a Get that waits stays as it is.
      if (a_valid) begin
        assert (a_opcode == GET && a_size == BLOCK && a_address[5:0] == 0);
        if (a_waited) assert (a_address == address_before);
        else assert (was_inside && a_address[31:6] == was_number);
      end
    end
  end
endmodule
