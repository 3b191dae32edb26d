#include "programs/measure/counts.h"

#include "units/capability.h"

struct counts counts_now(uint32_t unit) {
    return (struct counts){
        .read_bytes = hw_unit_counter(unit, HW_COUNTER_READ_BYTES),
        .written_bytes = hw_unit_counter(unit, HW_COUNTER_WRITTEN_BYTES),
        .busy_cycles = hw_unit_counter(unit, HW_COUNTER_BUSY_CYCLES),
        .read_stall_cycles = hw_unit_counter(unit, HW_COUNTER_READ_STALL_CYCLES),
        .table_stall_cycles = hw_unit_counter(unit, HW_COUNTER_TABLE_STALL_CYCLES),
        .write_stall_cycles = hw_unit_counter(unit, HW_COUNTER_WRITE_STALL_CYCLES),
        .dram_read_bytes = hw_dram_read_bytes(),
        .dram_written_bytes = hw_dram_written_bytes(),
    };
}

struct counts counts_since(uint32_t unit, const struct counts *before) {
    struct counts now = counts_now(unit);

    return (struct counts){
        .read_bytes = now.read_bytes - before->read_bytes,
        .written_bytes = now.written_bytes - before->written_bytes,
        .busy_cycles = now.busy_cycles - before->busy_cycles,
        .read_stall_cycles = now.read_stall_cycles - before->read_stall_cycles,
        .table_stall_cycles = now.table_stall_cycles - before->table_stall_cycles,
        .write_stall_cycles = now.write_stall_cycles - before->write_stall_cycles,
        .dram_read_bytes = now.dram_read_bytes - before->dram_read_bytes,
        .dram_written_bytes = now.dram_written_bytes - before->dram_written_bytes,
    };
}
