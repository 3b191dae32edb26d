// SDRAM at the level of LiteDRAM's DFI: banks with open rows, and one memory array.
//
// Each phase has a command slot. There is at most one read and one write command per cycle; each moves one WORD (the
// data of all phases). Read data appear READ_LATENCY cycles after the command, and write data are taken WRITE_LATENCY
// cycles after it, as with LiteDRAM's PHYs. The array is linear in the addresses of the controller's ROW_BANK_COL
// mapping, {row, bank, column}, so that the harness can load and read it as plain memory. A read or write to a bank
// without an open row means that the controller is broken: the simulation reports it and ends.
module dram_model #(
    parameter integer WORD = 128,
    parameter integer PHASES = 4,
    parameter integer BANK_BITS = 3,
    parameter integer ROW_BITS = 14,
    parameter integer COLUMN_BITS = 10,        // DRAM columns per row
    parameter integer COLUMN_ALIGN = 3,        // log2 of the columns that a command moves
    parameter integer ADDRESS_BITS = 14,
    parameter integer READ_LATENCY = 8,        // 2..15
    parameter integer WRITE_LATENCY = 1        // 0..15
) (
    input                             clk,
    input      [PHASES-1:0]           cs_n,
    input      [PHASES-1:0]           ras_n,
    input      [PHASES-1:0]           cas_n,
    input      [PHASES-1:0]           we_n,
    input      [PHASES*BANK_BITS-1:0] bank,
    input      [PHASES*ADDRESS_BITS-1:0] address,
    input      [WORD-1:0]             write_data,
    input      [WORD/8-1:0]           write_mask,   // 1: the byte is not written
    output     [WORD-1:0]             read_data,
    output                            read_valid
);
    localparam WORD_COLUMN_BITS = COLUMN_BITS - COLUMN_ALIGN;
    localparam INDEX_BITS = ROW_BITS + BANK_BITS + WORD_COLUMN_BITS;

    reg [WORD-1:0] storage [0:(1 << INDEX_BITS)-1] /*verilator public_flat_rw*/;

    reg [(1 << BANK_BITS)-1:0] open;
    reg [ROW_BITS-1:0]         row [0:(1 << BANK_BITS)-1];
    initial open = 0;

    // The cycle's read or write command and its target.
    reg                    read, write, precharge;
    reg [BANK_BITS-1:0]    target;
    reg [COLUMN_BITS-1:0]  column;
    integer p;
    always @(*) begin
        read = 0;
        write = 0;
        precharge = 0;
        target = 0;
        column = 0;
        for (p = 0; p < PHASES; p = p + 1)
            if (!cs_n[p] && ras_n[p] && !cas_n[p]) begin
                read = we_n[p];
                write = !we_n[p];
                precharge = address[p*ADDRESS_BITS + 10];
                target = bank[p*BANK_BITS +: BANK_BITS];
                column = address[p*ADDRESS_BITS +: COLUMN_BITS];
            end
    end
    wire [INDEX_BITS-1:0] index = {row[target], target, column[COLUMN_BITS-1:COLUMN_ALIGN]};

    // Opens and closes rows.
    integer q;
    always @(posedge clk) begin
        for (q = 0; q < PHASES; q = q + 1)
            if (!cs_n[q] && !ras_n[q] && cas_n[q]) begin
                if (we_n[q]) begin
                    open[bank[q*BANK_BITS +: BANK_BITS]] <= 1;
                    row[bank[q*BANK_BITS +: BANK_BITS]] <= address[q*ADDRESS_BITS +: ROW_BITS];
                end else if (address[q*ADDRESS_BITS + 10])
                    open <= 0;
                else
                    open[bank[q*BANK_BITS +: BANK_BITS]] <= 0;
            end
        if (read || write) begin
            if (precharge) open[target] <= 0;
            if (!open[target]) begin
                $display("dram_model: access to bank %0d, which has no open row", target);
                $finish;
            end
        end
    end

    // Reads: a ring with the data of the last cycles, read READ_LATENCY slots later.
    reg [WORD-1:0]         ring [0:15];
    reg [3:0]              slot;
    reg [READ_LATENCY-1:0] coming;
    initial begin
        slot = 0;
        coming = 0;
    end
    always @(posedge clk) begin
        slot <= slot + 1;
        coming <= {coming[READ_LATENCY-2:0], read};
        if (read) ring[slot] <= storage[index];
    end
    assign read_valid = coming[READ_LATENCY-1];
    assign read_data = ring[slot - (READ_LATENCY % 16)];

    // Writes: the address waits for its data, unless they come with the command.
    wire [INDEX_BITS-1:0] now;
    wire                  writing;
    wire [WORD-1:0]       keep;
    genvar b;
    generate
        for (b = 0; b < WORD/8; b = b + 1) begin : mask
            assign keep[b*8 +: 8] = {8{write_mask[b]}};
        end
        if (WRITE_LATENCY == 0) begin : at_once
            assign now = index;
            assign writing = write;
        end else begin : later
            reg [WRITE_LATENCY*INDEX_BITS-1:0] indices;
            reg [WRITE_LATENCY-1:0]            waiting;
            initial waiting = 0;
            always @(posedge clk) begin
                waiting <= (waiting << 1) | write;
                indices <= (indices << INDEX_BITS) | index;
            end
            assign now = indices[(WRITE_LATENCY-1)*INDEX_BITS +: INDEX_BITS];
            assign writing = waiting[WRITE_LATENCY-1];
        end
    endgenerate
    always @(posedge clk)
        if (writing) storage[now] <= (storage[now] & keep) | (write_data & ~keep);
endmodule
