// One Verilated unit over a memory with random latency and stalls: the protobuf engine or, if SERIALIZATIONUNIT or
// DESERIALIZATIONUNIT is defined, that unit of Cereal.
//
// Reads requests from stdin and answers on stdout, in little-endian 32-bit words:
//     'L' address length bytes      loads memory                         -> nothing
//     'F' address length byte       fills memory with a byte             -> nothing
//     'R' index value               writes a runtime register            -> nothing
//     'M' seed stall low high       sets the memory's stalls (in 256ths) and latency -> nothing
//     'T' address cycles            delays requests to this block by that many further cycles -> nothing
//     'S' shared                    1: all masters share one path, a beat per cycle and direction, as behind an arbiter
//                                   -> nothing
//     'C' operation, 8 arguments, number of ranges, {low, high}*, cycles until a reset (0: none)
//                                   runs a command, which may write only in the ranges
//                                   -> status, 4 results, cycles, bytes written outside the ranges, broken bus rules,
//                                      number of masters, {name (16 bytes), Gets of each param, Puts of each param}*
//     'D' address length            dumps memory                         -> bytes
//     'B' low high                  forbids reads of blocks that do not overlap this range, except where a command may
//                                   write, and where tables are -> nothing
//     'Q'                           ends the program
// A command that hangs (no transfer on any bus for a long time) or that takes extremely long is reset, and answers
// status 0xffffffff.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

#if defined(DESERIALIZATIONUNIT)
#include "VDeserializationUnit.h"
using VUnit = VDeserializationUnit;
#elif defined(SERIALIZATIONUNIT)
#include "VSerializationUnit.h"
using VUnit = VSerializationUnit;
#else
#include "VEngine.h"
using VUnit = VEngine;
#endif
#include "verilated.h"

namespace {

constexpr uint32_t MemoryBase = 0x40000000;
constexpr uint32_t MemorySize = 256u << 20;
#ifndef DATA_BYTES
#define DATA_BYTES 16
#endif
constexpr uint32_t DataBytes = DATA_BYTES;
constexpr uint32_t BlockBytes = 64;
constexpr uint32_t Params = 8;            // values of a request's param
constexpr uint64_t HangCycles = 1000000;  // without a transfer
constexpr uint64_t LongestCycles = 500000000;

uint8_t memory[MemorySize];  // zeros; a page is allocated only when it is written
std::mt19937 dice(1);
uint32_t stall = 0, latencyLow = 20, latencyHigh = 20;
uint32_t lateBlock = 0, lateCycles = 0;
uint64_t now = 0, moved = 0;  // cycles; the cycle of the last transfer
bool scattering = false;      // a master writes single words that other masters read
uint32_t outside = 0, violations = 0;
struct Range {
    uint32_t low, high;
};
std::vector<Range> writable;
Range readable{0, 0xffffffff}, described{0, 0};

// One path for all masters: the master that has each direction, -1 for none. A burst keeps its direction.
bool shared = false;
int requester = -1, responder = -1;

bool lucky() { return stall == 0 || (dice() & 255) >= stall; }
bool isWritable(uint32_t address, uint32_t bytes) {
    for (auto &range : writable)
        if (address >= range.low && uint64_t(address) + bytes <= range.high) return true;
    return false;
}
bool inMemory(uint32_t address, uint32_t bytes) {
    return address >= MemoryBase && uint64_t(address) + bytes <= uint64_t(MemoryBase) + MemorySize;
}

struct Pending {
    uint64_t due;
    uint32_t source, size, address, param;
    bool put, denied;
    std::vector<uint8_t> data, mask;
    bool late = false;  // written only when it is answered
};

// What channel A shows.
struct Offer {
    uint32_t opcode, param, source, size, address, mask;
    uint8_t data[DataBytes];
};

// The port of one TileLink master: pointers to the fields of its channels.
struct Port {
    const char *name;
    uint8_t *aValid, *aReady, *aOpcode, *aParam, *aSource, *aSize;
    uint8_t *dValid, *dReady, *dOpcode, *dSource, *dSize, *dDenied;
    uint32_t *aAddress;
    const uint8_t *aMask8 = nullptr;
    const uint16_t *aMask16 = nullptr;
    const void *aData = nullptr;
    void *dData = nullptr;
    uint8_t *dCorrupt = nullptr;
    bool bounded = false;    // reads only within `readable`
    bool tables = false;     // ... and within the range of the tables, as the runtime registers say
    bool scattered = false;  // two Puts to a block may be in flight if they write different bytes
    bool ordered = false;    // a read sees this master's earlier writes, answered or not, as in the shared cache

    std::vector<Pending> pending;
    Pending gathering;
    uint32_t gathered = 0;
    // This command's requests, by their param.
    uint32_t gets[Params] = {}, puts[Params] = {};
    // The request was not taken in the last cycle. A master must not change it or withdraw it.
    bool waits = false;
    Offer offer;
    // The response that is being sent.
    bool sending = false;
    Pending response;
    uint32_t sent = 0;
    bool offered = false;

    void violation(const char *text) {
        fprintf(stderr, "%s: %s\n", name, text);
        violations++;
    }
    Offer offering() const {
        Offer now{*aOpcode, *aParam, *aSource, *aSize, *aAddress, 0, {}};
        if (aMask16) now.mask = *aMask16;
        if (aMask8) now.mask = *aMask8;
        if (aData) memcpy(now.data, aData, DataBytes);
        return now;
    }
    void stay() {
        if (waits && !*aValid) violation("a request is withdrawn");
        if (waits && *aValid) {
            const Offer now = offering();
            if (memcmp(&now, &offer, sizeof now)) violation("a request changes while it waits");
        }
        waits = *aValid && !*aReady;
        if (waits) offer = offering();
    }
    // Carries out a late write, once.
    static void store(Pending &p) {
        for (uint32_t i = 0; p.late && !p.denied && i < p.mask.size(); i++)
            if (p.mask[i]) memory[p.address + i - MemoryBase] = p.data[i];
        p.late = false;
    }
    void accept() {
        const bool put = *aOpcode != 4;
        const uint32_t bytes = 1u << *aSize, address = *aAddress;
        if (address % bytes || bytes > BlockBytes) violation("misaligned or too large");
        const auto beyond = [&](const Range &range) {
            return uint64_t(address) + bytes <= range.low || address >= range.high;
        };
        if (bounded && !put && beyond(readable) && !(tables && !beyond(described)) && !isWritable(address, bytes))
            violation("read out of bounds");
        if (gathered == 0) {
            gathering = Pending{0, *aSource, *aSize, address, *aParam, put, !inMemory(address, bytes), {}, {}};
            (put ? puts : gets)[*aParam % Params]++;
            for (auto &p : pending) {
                if (p.source == *aSource) violation("source in use");
                if (put && p.put && !scattered && p.address / BlockBytes == address / BlockBytes)
                    violation("two puts to a block");
            }
            if (sending && response.source == *aSource) violation("source in use");
        } else if (gathering.address != address || gathering.source != *aSource || gathering.size != *aSize ||
                   gathering.param != *aParam) {
            violation("a burst changed");
        }
        if (put) {
            const uint32_t lane = (address + gathered) % DataBytes, count = bytes < DataBytes ? bytes : DataBytes;
            const uint32_t mask = aMask16 ? *aMask16 : *aMask8;
            for (uint32_t i = 0; i < count; i++) {
                gathering.data.push_back(static_cast<const uint8_t *>(aData)[lane + i]);
                gathering.mask.push_back(mask >> (lane + i) & 1);
                if (*aOpcode == 0 && !(mask >> (lane + i) & 1)) violation("a hole in a full put");
            }
            gathered += count;
            if (gathered < bytes) return;
        }
        gathered = 0;
        if (ordered && !put)
            for (auto &p : pending) store(p);
        // If one master reads and another writes, either may come first until both are answered.
        if (!put && !gathering.denied && scattering && lucky())
            gathering.data.assign(&memory[address - MemoryBase], &memory[address - MemoryBase] + bytes);
        gathering.late = put && scattered && stall && (dice() & 1);
        gathering.due = now + latencyLow + (latencyHigh > latencyLow ? dice() % (latencyHigh - latencyLow + 1) : 0);
        if (address / BlockBytes == lateBlock / BlockBytes) gathering.due += lateCycles;
        if (put) {
            for (auto &p : pending)
                for (uint32_t i = 0; p.put && i < p.mask.size(); i++) {
                    const uint32_t at = p.address + i - address;
                    if (p.mask[i] && at < bytes && gathering.mask[at]) violation("two puts to a byte");
                }
            for (uint32_t i = 0; i < bytes; i++) {
                if (!gathering.mask[i]) continue;
                bool good = false;
                for (auto &range : writable) good |= address + i >= range.low && address + i < range.high;
                outside += !good;
                if (!gathering.denied && !gathering.late) memory[address + i - MemoryBase] = gathering.data[i];
            }
        }
        pending.push_back(gathering);
    }
    // Chooses the inputs of the next cycle.
    void drive(int self) {
        *aReady = (!shared || requester == self) && lucky();
        if (!sending && !(shared && responder >= 0)) {
            std::vector<size_t> due;
            for (size_t i = 0; i < pending.size(); i++)
                if (pending[i].due <= now) due.push_back(i);
            if (!due.empty()) {
                const size_t pick = stall ? due[dice() % due.size()] : due[0];
                response = pending[pick];
                pending.erase(pending.begin() + pick);
                sending = true;
                responder = self;
                sent = 0;
                offered = false;
                store(response);
                if (!response.put && !response.denied && response.data.empty()) {
                    const uint32_t bytes = 1u << response.size;
                    response.data.assign(&memory[response.address - MemoryBase],
                                         &memory[response.address - MemoryBase] + bytes);
                }
            }
        }
        if (sending && (offered || lucky())) {
            offered = true;
            *dValid = 1;
            *dOpcode = response.put ? 0 : 1;
            *dSource = response.source;
            *dSize = response.size;
            *dDenied = response.denied;
            if (dCorrupt) *dCorrupt = !response.put && response.denied;
            if (!response.put && dData) {
                uint8_t *data = static_cast<uint8_t *>(dData);
                const uint32_t bytes = 1u << response.size, lane = (response.address + sent) % DataBytes;
                for (uint32_t i = 0; i < DataBytes; i++) data[i] = dice();
                for (uint32_t i = 0; i < DataBytes && i < bytes; i++)
                    data[lane + i] = response.denied ? dice() : response.data[sent + i];
            }
        } else {
            *dValid = 0;
        }
    }
    // Samples the outputs once they have settled, before the clock edge.
    void sample() {
        stay();
        if (*aValid && *aReady) {
            moved = now;
            accept();
        }
        if (*dValid && *dReady) {
            moved = now;
            offered = false;
            sent += DataBytes;
            if (response.put || sent >= (1u << response.size)) {
                sending = false;
                responder = -1;
            }
        }
    }
    // Counts requests from here on.
    void count() {
        for (uint32_t i = 0; i < Params; i++) gets[i] = puts[i] = 0;
    }
    void reset() {
        pending.clear();
        sending = offered = waits = false;
        gathered = 0;
        *dValid = 0;
    }
};

VUnit *top;
std::vector<Port> ports;

void cycle() {
    const int count = int(ports.size());
    static int turn = 0;
    if (shared && (requester < 0 || ports[requester].gathered == 0)) {
        requester = -1;
        for (int i = 0; i < count && requester < 0; i++)
            if (*ports[(turn + i) % count].aValid) requester = (turn + i) % count;
        if (requester >= 0) turn = requester + 1;
    }
    for (int i = 0; i < count; i++) {
        const int port = (turn + i) % count;
        ports[port].drive(port);
    }
    top->clk = 0;
    top->eval();
    for (auto &port : ports) port.sample();
    top->clk = 1;
    top->eval();
    now++;
    if (Verilated::gotFinish()) {
        fprintf(stderr, "an assertion failed in the hardware\n");
        exit(1);
    }
}

void reset() {
    for (auto &port : ports) port.reset();
    requester = responder = -1;
    top->reset = 1;
    top->io_port_command_valid = 0;
    top->io_port_registers_valid = 0;
    top->io_port_completion_ready = 0;
#if defined(FIELDS)
    top->io_fields_request_valid = 0;
    top->io_fields_flush = 0;
#endif
    for (int i = 0; i < 4; i++) {
        top->clk = 0;
        top->eval();
        top->clk = 1;
        top->eval();
    }
    top->reset = 0;
}

uint32_t word() {
    uint32_t value;
    if (fread(&value, 4, 1, stdin) != 1) exit(1);
    return value;
}
void answer(uint32_t value) { fwrite(&value, 4, 1, stdout); }

#define COMMON(p)                                                                                            \
    Port {                                                                                                   \
        #p, &top->io_##p##_a_valid, &top->io_##p##_a_ready, &top->io_##p##_a_payload_opcode,                 \
            &top->io_##p##_a_payload_param, &top->io_##p##_a_payload_source, &top->io_##p##_a_payload_size,  \
            &top->io_##p##_d_valid, &top->io_##p##_d_ready, &top->io_##p##_d_payload_opcode,                 \
            &top->io_##p##_d_payload_source, &top->io_##p##_d_payload_size, &top->io_##p##_d_payload_denied, \
            &top->io_##p##_a_payload_address                                                                 \
    }
#define READER(p)                                         \
    {                                                     \
        Port port = COMMON(p);                            \
        port.dData = &top->io_##p##_d_payload_data;       \
        port.dCorrupt = &top->io_##p##_d_payload_corrupt; \
        ports.push_back(port);                            \
    }

#define WRITER(p)                                                                             \
    {                                                                                         \
        Port port = COMMON(p);                                                                \
        port.aData = &top->io_##p##_a_payload_data;                                           \
        static_assert(sizeof(top->io_##p##_a_payload_mask) <= 2, "mask");                     \
        if (sizeof(top->io_##p##_a_payload_mask) == 2)                                        \
            port.aMask16 = reinterpret_cast<const uint16_t *>(&top->io_##p##_a_payload_mask); \
        else                                                                                  \
            port.aMask8 = reinterpret_cast<const uint8_t *>(&top->io_##p##_a_payload_mask);   \
        ports.push_back(port);                                                                \
    }

// A master that reads and writes.
#define BOTH(p)                                 \
    {                                           \
        READER(p) Port reads = ports.back();    \
        ports.pop_back();                       \
        WRITER(p)                               \
        ports.back().dData = reads.dData;       \
        ports.back().dCorrupt = reads.dCorrupt; \
        ports.back().scattered = true;          \
    }

// Checks that a complete command has nothing in flight and requests nothing: the answer would reach the next command.
void quiet() {
    for (auto &port : ports)
        if (*port.aValid || port.gathered || port.sending || !port.pending.empty())
            port.violation("complete with a request in flight");
}

void command() {
    top->io_port_command_payload_operation = word();
    uint32_t *arguments[8] = {&top->io_port_command_payload_arguments_0, &top->io_port_command_payload_arguments_1,
                              &top->io_port_command_payload_arguments_2, &top->io_port_command_payload_arguments_3,
                              &top->io_port_command_payload_arguments_4, &top->io_port_command_payload_arguments_5,
                              &top->io_port_command_payload_arguments_6, &top->io_port_command_payload_arguments_7};
    for (auto a : arguments) *a = word();
    writable.resize(word());
    for (auto &range : writable) {
        range.low = word();
        range.high = word();
    }
    const uint32_t limit = word();  // 0: no reset; otherwise the number of cycles after which the unit is reset
    outside = violations = 0;
    for (auto &port : ports) port.count();
    top->io_port_command_payload_tag = now & 15;
    const uint32_t tag = now & 15;
    top->io_port_command_valid = 1;
    const uint64_t offered = now;
    for (bool taken = false; !taken && now - offered < HangCycles;) {
        top->clk = 0;
        top->eval();
        taken = top->io_port_command_ready;
        cycle();
    }
    top->io_port_command_valid = 0;
    const uint64_t start = now;
    moved = now;
    while (!top->io_port_completion_valid &&
           (limit ? now - start < limit : now - moved < HangCycles && now - start < LongestCycles))
        cycle();
    const uint32_t cycles = uint32_t(now - start);
    uint32_t answers[5] = {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
    if (!top->io_port_completion_valid) {
        reset();
    } else {
        const uint32_t found[5] = {top->io_port_completion_payload_status, top->io_port_completion_payload_results_0,
                                   top->io_port_completion_payload_results_1, top->io_port_completion_payload_results_2,
                                   top->io_port_completion_payload_results_3};
        memcpy(answers, found, sizeof answers);
        if (top->io_port_completion_payload_tag != tag) violations++;
        quiet();
        top->io_port_completion_ready = 1;
        cycle();
        top->io_port_completion_ready = 0;
        quiet();
    }
    for (auto value : answers) answer(value);
    answer(cycles);
    answer(outside);
    answer(violations);
    answer(uint32_t(ports.size()));
    for (auto &port : ports) {
        char name[16] = {};
        strncpy(name, port.name, sizeof name);
        fwrite(name, 1, sizeof name, stdout);
        for (auto count : port.gets) answer(count);
        for (auto count : port.puts) answer(count);
    }
}

}  // namespace

int main(int argc, char **argv) {
    Verilated::commandArgs(argc, argv);
    top = new VUnit;
#if defined(DESERIALIZATIONUNIT)
    READER(values)
    READER(references)
    READER(layouts)
    READER(scan)
    READER(starts)
    WRITER(written)
    WRITER(objects)
#elif defined(SERIALIZATIONUNIT)
    BOTH(headers)
    ports.back().bounded = ports.back().ordered = true;
    READER(objects)
    ports.back().bounded = true;
    BOTH(side)
    scattering = true;
    WRITER(output)
#else
    READER(input)
    ports.back().bounded = true;
    READER(table)
    ports.back().bounded = ports.back().tables = true;
    WRITER(objects)
#endif
    reset();
    for (int kind; (kind = getchar()) != EOF && kind != 'Q';) {
        switch (kind) {
            case 'L': {
                const uint32_t address = word(), length = word();
                if (!inMemory(address, length) || fread(&memory[address - MemoryBase], 1, length, stdin) != length)
                    return 1;
                break;
            }
            case 'F': {
                const uint32_t address = word(), length = word(), value = word();
                if (!inMemory(address, length)) return 1;
                memset(&memory[address - MemoryBase], int(value), length);
                break;
            }
            case 'D': {
                const uint32_t address = word(), length = word();
                if (!inMemory(address, length)) return 1;
                fwrite(&memory[address - MemoryBase], 1, length, stdout);
                fflush(stdout);
                break;
            }
            case 'R':
                top->io_port_registers_payload_index = word();
                top->io_port_registers_payload_value = word();
                // TABLE_BASE, TABLE_LIMIT
                if (top->io_port_registers_payload_index == 0) described.low = top->io_port_registers_payload_value;
                if (top->io_port_registers_payload_index == 1) described.high = top->io_port_registers_payload_value;
                top->io_port_registers_valid = 1;
                cycle();
                top->io_port_registers_valid = 0;
                break;
            case 'B':
                readable.low = word();
                readable.high = word();
                break;
            case 'M':
                dice.seed(word());
                stall = word();
                latencyLow = word();
                latencyHigh = word();
                break;
            case 'T':
                lateBlock = word();
                lateCycles = word();
                break;
            case 'S':
                shared = word() != 0;
                break;
            case 'C':
                command();
                fflush(stdout);
                break;
            default:
                return 1;
        }
    }
    delete top;
    return 0;
}
