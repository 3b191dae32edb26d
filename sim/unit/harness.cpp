// One Verilated unit over a memory with random latency and stalls: the protobuf engine or, if SERIALIZATIONUNIT or
// DESERIALIZATIONUNIT is defined, that unit of Cereal.
//
// Reads requests from stdin and answers on stdout, in little-endian 32-bit words:
//     'L' address length bytes      loads memory                         -> nothing
//     'F' address length byte       fills memory with a byte             -> nothing
//     'R' index value               writes a runtime register            -> nothing
//     'M' seed stall low high       sets the memory's stalls (in 256ths) and latency -> nothing
//     'T' address cycles            delays requests to this block by that many further cycles -> nothing
//     'A' low high by               moves the writes of all guarded masters that are for the addresses from low on and
//                                   below high by so many bytes, before the guard sees them -> nothing
//     'S' shared                    1: all masters share one path, a beat per cycle and direction, as behind an arbiter
//                                   -> nothing
//     'P'                           -> number of masters, their names (16 bytes each)
//     'C' operation, 8 arguments, number of ranges, {low, high, readers, writers}*, cycles until a reset (0: none)
//                                   runs a command, which owns the ranges. Bit i of readers and writers says whether
//                                   master i may read and write there
//                                   -> status, 4 results, cycles, bytes written that are not owned, reads without an
//                                      owned byte, broken bus rules, {Gets of each param, Puts of each param} of each
//                                      master
//     'B' count, {operation, 8 arguments}*, number of ranges, {low, high, readers, writers}*
//                                   offers the commands without a pause; together they own the ranges
//                                   -> {status, 4 results}*, and what 'C' answers from `cycles` on, for all together
//     'D' address length            dumps memory                         -> bytes
//     'I' kind function rs1 rs2     a field instruction, as the front end issues it -> its answer, if it has one
//     'W' cycles                    waits -> nothing
//     'Z'                           resets the unit -> nothing
//     'G' number of ranges, {low, high, readers, writers}*
//                                   field instructions own the ranges; counts begin anew -> nothing
//     'V'                           -> the counts, as 'C' answers them behind `cycles`
//     'N' count, operations         lets commands of these operations come at random times, with the arguments of the
//                                   last 'C' -> nothing; if there are none: ends that -> number of commands sent, and
//                                   of those that ended
//     'Q'                           ends the program
// A command that hangs (no transfer on any bus for a long time) or that takes extremely long is reset, and answers
// status 0xffffffff.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
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
#include "port.h"
#include "verilated.h"

namespace {

constexpr uint64_t HangCycles = 1000000;  // without a transfer
constexpr uint64_t LongestCycles = 500000000;

VUnit *top;
std::vector<Port> ports;
struct {
    uint32_t low, high, by;
} moves;

#if defined(FIELDS)
std::deque<uint32_t> responses;

// Sends commands while field instructions run.
struct Commander {
    std::vector<uint32_t> operations;
    bool on = false, offered = false, pending = false, taken = false;
    uint32_t pause = 0, sent = 0, ended = 0;

    void before() {
        if (!on && !offered && !pending) return;
        top->io_port_completion_ready = 1;
        if (offered || pending || pause-- > 0) return;
        top->io_port_command_payload_operation = operations[dice() % operations.size()];
        top->io_port_command_valid = 1;
        offered = true;
        sent++;
    }
    // The outputs just before the clock's edge.
    void at() {
        if (pending && top->io_port_completion_valid) {
            pending = false;
            ended++;
            pause = 1 + dice() % (dice() % 2 ? 60 : 1500);
        }
        if (offered && top->io_port_command_ready) {
            offered = false;
            pending = taken = true;
        }
    }
    void after() {
        if (taken) top->io_port_command_valid = 0;
        taken = false;
    }
} commander;
#endif

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
#if defined(FIELDS)
    commander.before();
#endif
    top->clk = 0;
    top->eval();
    for (auto &port : ports) port.sample();
#if defined(FIELDS)
    if (top->io_fields_response_valid) responses.push_back(top->io_fields_response_payload);
    commander.at();
#endif
    top->clk = 1;
    top->eval();
#if defined(FIELDS)
    commander.after();
#endif
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
    responses.clear();
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

void names() {
    answer(uint32_t(ports.size()));
    for (auto &port : ports) {
        char name[16] = {};
        strncpy(name, port.name, sizeof name);
        fwrite(name, 1, sizeof name, stdout);
    }
}

// Answers what this command's requests were, and how many rules they broke.
void report() {
    answer(outside);
    answer(strays);
    answer(violations);
    for (auto &port : ports) {
        for (auto count : port.gets) answer(count);
        for (auto count : port.puts) answer(count);
    }
}

// Reads what a command owns, and counts anew.
void begin() {
    owned.resize(word());
    for (auto &range : owned)
        for (auto part : {&Range::low, &Range::high, &Range::readers, &Range::writers}) range.*part = word();
    outside = strays = violations = 0;
    for (auto &port : ports) port.count();
}

std::array<uint32_t *, 8> arguments() {
    return {&top->io_port_command_payload_arguments_0, &top->io_port_command_payload_arguments_1,
            &top->io_port_command_payload_arguments_2, &top->io_port_command_payload_arguments_3,
            &top->io_port_command_payload_arguments_4, &top->io_port_command_payload_arguments_5,
            &top->io_port_command_payload_arguments_6, &top->io_port_command_payload_arguments_7};
}

// Register writes that come while the next command is under way: index and value of each.
std::vector<std::array<uint32_t, 2>> beside;

// Offers one of them.
void write() {
    top->io_port_registers_valid = !beside.empty();
    if (beside.empty()) return;
    top->io_port_registers_payload_index = beside.back()[0];
    top->io_port_registers_payload_value = beside.back()[1];
    beside.pop_back();
}

void command() {
    top->io_port_command_payload_operation = word();
    for (auto a : arguments()) *a = word();
    begin();
    const uint32_t limit = word();  // 0: no reset; otherwise the number of cycles after which the unit is reset
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
           (limit ? now - start < limit : now - moved < HangCycles && now - start < LongestCycles)) {
        write();
        cycle();
    }
    beside.clear();
    write();
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
        // An offered completion stays until it is taken.
        for (uint32_t held = dice() & 3; held; held--) {
            cycle();
            if (!top->io_port_completion_valid || top->io_port_completion_payload_status != found[0]) violations++;
        }
        top->io_port_completion_ready = 1;
        cycle();
        top->io_port_completion_ready = 0;
        quiet();
    }
    for (auto value : answers) answer(value);
    answer(cycles);
    report();
}

// Offers commands, each as soon as the one before is taken, and answers the status and the results of each.
void flight() {
    std::vector<std::array<uint32_t, 9>> commands(word());
    for (auto &command : commands)
        for (auto &part : command) part = word();
    begin();
    moved = now;
    size_t taken = 0, done = 0;
    const uint64_t start = now;
    while (done < commands.size() && now - moved < HangCycles) {
        top->io_port_command_valid = taken < commands.size();
        if (taken < commands.size()) {
            top->io_port_command_payload_operation = commands[taken][0];
            for (int i = 0; i < 8; i++) *arguments()[i] = commands[taken][1 + i];
            top->io_port_command_payload_tag = taken & 15;
        }
        top->io_port_completion_ready = dice() & 1;
        top->clk = 0;
        top->eval();
        const bool takes = top->io_port_command_valid && top->io_port_command_ready;
        if (top->io_port_completion_valid && top->io_port_completion_ready) {
            if (top->io_port_completion_payload_tag != (done & 15) || done >= taken) violations++;
            done++;
            for (auto value :
                 {uint32_t(top->io_port_completion_payload_status), uint32_t(top->io_port_completion_payload_results_0),
                  uint32_t(top->io_port_completion_payload_results_1),
                  uint32_t(top->io_port_completion_payload_results_2),
                  uint32_t(top->io_port_completion_payload_results_3)})
                answer(value);
        }
        cycle();
        taken += takes;
    }
    top->io_port_completion_ready = 0;
    if (done < commands.size()) {
        fprintf(stderr, "commands in flight hang\n");
        exit(1);
    }
    quiet();
    answer(uint32_t(now - start));
    report();
}

#if defined(FIELDS)
template <typename Condition>
void await(const char *what, Condition condition) {
    for (const uint64_t start = now; !condition(); cycle())
        if (now - start > HangCycles) {
            fprintf(stderr, "field instructions hang: %s\n", what);
            exit(1);
        }
}

// A clock's edge at which `condition` holds.
template <typename Condition>
void edge(const char *what, Condition condition) {
    bool held = false;
    await(what, [&] {
        if (held) return true;
        top->clk = 0;
        top->eval();
        held = condition();
        return false;
    });
}

void instruction() {
    enum { Parfield = 2, Chksuccess = 3, Take = 5 };
    const uint32_t kind = word(), function = word();
    top->io_fields_request_payload_kind = kind;
    top->io_fields_request_payload_function = function;
    top->io_fields_request_payload_rs1 = word();
    top->io_fields_request_payload_rs2 = word();
    if (kind == Parfield || (kind == Chksuccess && function == Take)) {
        cycle();
        await("parsing", [] { return !top->io_fields_parsing; });
    } else if (kind == Chksuccess) {
        top->io_fields_flush = 1;
        for (int i = 0; i < 2; i++) cycle();
        edge("not settled", [] { return top->io_fields_settled; });
        top->io_fields_flush = 0;
        if (!top->io_fields_activity_busy) quiet();
    }
    top->io_fields_request_valid = 1;
    edge("not taken", [] { return top->io_fields_request_ready; });
    top->io_fields_request_valid = 0;
    if (kind < Parfield) return;
    await("no answer", [] { return !responses.empty(); });
    answer(responses.front());
    responses.pop_front();
}
#endif

}  // namespace

// Called by the Verilog: the address of a request that comes to a guard.
extern "C" int astray(int opcode, int address) {
    const bool moved = opcode != 4 && uint32_t(address) >= moves.low && uint32_t(address) < moves.high;
    return moved ? address + moves.by : address;
}

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
    ports.back().ordered = true;
    READER(objects)
    BOTH(side)
    scattering = true;
    WRITER(output)
#else
    READER(input)
    READER(table)
    WRITER(objects)
#endif
    for (size_t i = 0; i < ports.size(); i++) ports[i].self = 1u << i;
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
                top->io_port_registers_valid = 1;
                cycle();
                top->io_port_registers_valid = 0;
                break;
            case 'K': {
                const uint32_t index = word();
                beside.push_back({index, word()});
                break;
            }
            case 'P':
                names();
                fflush(stdout);
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
            case 'A':
                for (auto part : {&moves.low, &moves.high, &moves.by}) *part = word();
                break;
            case 'S':
                shared = word() != 0;
                break;
            case 'C':
                command();
                fflush(stdout);
                break;
            case 'B':
                flight();
                fflush(stdout);
                break;
            case 'Z':
                reset();
                break;
#if defined(FIELDS)
            case 'I':
                instruction();
                fflush(stdout);
                break;
            case 'W':
                for (uint32_t left = word(); left; left--) cycle();
                break;
            case 'G':
                begin();
                break;
            case 'V':
                report();
                fflush(stdout);
                break;
            case 'N':
                commander.operations.resize(word());
                for (auto &operation : commander.operations) operation = word();
                commander.on = !commander.operations.empty();
                if (commander.on) {
                    commander.pause = commander.sent = commander.ended = 0;
                    break;
                }
                await("a command", [] { return !commander.offered && !commander.pending; });
                top->io_port_completion_ready = 0;
                answer(commander.sent);
                answer(commander.ended);
                fflush(stdout);
                break;
#endif
            default:
                return 1;
        }
    }
    delete top;
    return 0;
}
