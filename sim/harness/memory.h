// Main memory of the simulated board before the first cycle. The harness writes images into the DRAM model's array, so
// that they need neither hex files nor a new Verilation. (main.cpp reads memory through the SoC, because the newest
// data may be in the cluster's cache.)
#pragma once

#include <cstdint>
#include <string>

class Memory {
 public:
    // `storage`: the model's array of `bytes` bytes, linear in addresses from `base` on.
    Memory(uint8_t *storage, uint32_t base, uint64_t bytes) : storage_(storage), base_(base), bytes_(bytes) {}

    // These end the program with a message if the range is not in main memory or the file is not valid.
    void load_raw(const std::string &file, uint32_t address);
    void load_elf(const std::string &file);  // RV32 little-endian; PT_LOAD at p_paddr
    // Ends the program unless the range is in main memory. `what` names the range in the message.
    void check(const std::string &what, uint64_t address, uint64_t bytes) const { at(what, address, bytes); }

 private:
    uint8_t *at(const std::string &what, uint64_t address, uint64_t bytes) const;
    uint8_t *storage_;
    uint32_t base_;
    uint64_t bytes_;
};
