// Main memory of the simulated board before the first cycle: the harness writes
// images into the DRAM model's array, so that they need no hex files and no new
// Verilation. (What a program leaves is read through the SoC, see main.cpp: the
// newest data may be in the cluster's cache.)
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
    // Ends the program unless the range, which `what` names, is in main memory.
    void check(const std::string &what, uint64_t address, uint64_t bytes) const { at(what, address, bytes); }

  private:
    uint8_t *at(const std::string &what, uint64_t address, uint64_t bytes) const;
    uint8_t *storage_;
    uint32_t base_;
    uint64_t bytes_;
};
