// Main memory of the simulated board, seen from outside: the harness reads and
// writes the DRAM model's array, so that images need no hex files and no new
// Verilation.
#pragma once

#include <cstdint>
#include <string>

class Memory {
  public:
    // `storage`: the model's array of `bytes`, linear in addresses from `base` on.
    Memory(uint8_t *storage, uint32_t base, uint64_t bytes) : storage_(storage), base_(base), bytes_(bytes) {}

    // All end the program with a message when the range is not in main memory
    // or the file is not what it should be.
    void load_raw(const std::string &file, uint32_t address);
    void load_elf(const std::string &file);  // RV32 little-endian; PT_LOAD at p_paddr
    void dump(const std::string &file, uint32_t address, uint32_t bytes) const;

  private:
    uint8_t *at(const std::string &what, uint64_t address, uint64_t bytes) const;
    uint8_t *storage_;
    uint32_t base_;
    uint64_t bytes_;
};
