// For harness.cpp alone. The memory behind a unit's masters: its contents, what the command owns, and its random
// timing.
#ifndef HEAPWIRE_UNIT_MEMORY_H
#define HEAPWIRE_UNIT_MEMORY_H

#include <cstdint>
#include <random>
#include <vector>

namespace {

constexpr uint32_t MemoryBase = 0x40000000;
constexpr uint32_t MemorySize = 512u << 20;
#ifndef DATA_BYTES
#define DATA_BYTES 16
#endif
constexpr uint32_t DataBytes = DATA_BYTES;
constexpr uint32_t BlockBytes = 64;

uint8_t memory[MemorySize];  // zeros; a page is allocated only when it is written
std::mt19937 dice(1);
uint32_t stall = 0, latencyLow = 20, latencyHigh = 20;
uint32_t lateBlock = 0, lateCycles = 0;
uint64_t now = 0, moved = 0;  // cycles; the cycle of the last transfer
bool scattering = false;      // a master writes single words that other masters read
uint32_t outside = 0, strays = 0, violations = 0;
// A range that the command owns, and the masters, as bits, that may read and write there.
struct Range {
    uint32_t low, high, readers, writers;
};
std::vector<Range> owned;

bool lucky() { return stall == 0 || (dice() & 255) >= stall; }
// Returns whether a master may read, or write, at least one of these bytes.
bool owns(uint32_t address, uint32_t bytes, uint32_t Range::*masters, uint32_t master) {
    for (auto &range : owned)
        if (range.*masters & master && range.low < range.high && address < range.high &&
            uint64_t(address) + bytes > range.low)
            return true;
    return false;
}
bool inMemory(uint32_t address, uint32_t bytes) {
    return address >= MemoryBase && uint64_t(address) + bytes <= uint64_t(MemoryBase) + MemorySize;
}

}  // namespace

#endif
