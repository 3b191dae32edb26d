/* Boot ROM: initializes main memory and starts the program there. In a simulation the program is already there; on a
 * board it arrives over the UART (serial.h). The ROM's trap handler stays until the program installs its own, so that a
 * program that dies at once reports it. */
#include "boot.h"

#include <stdbool.h>
#include <stdint.h>

#include <generated/csr.h>
#include <generated/mem.h>

#include "sdram.h"

#ifndef BOOT_AT_ONCE
#include "line.h"
#include "memory_test.h"
#include "serial.h"
#endif

/* Exit code of a program that traps before it has a handler of its own. */
#define EXIT_BOOT_TRAP 112

#define RETRY_MS 1000

/* Value of the scratch register from when the SDRAM runs until the system is reset. Once a program has been started,
 * the register has its entry instead. A debugger resets only the core. The controller must then not be initialized
 * again, because units may be accessing the memory. The program, which is still there, starts again. */
#define SDRAM_RUNS 0x5d2a4e55

__attribute__((noreturn)) void boot_trap(uint32_t cause, uint32_t pc, uint32_t value) {
    say("\nboot: trap, mcause ");
    say_hex(cause);
    say(" mepc ");
    say_hex(pc);
    say(" mtval ");
    say_hex(value);
    say("\n");
#ifdef CSR_SIM_FINISH_BASE
    sim_finish_code_write(EXIT_BOOT_TRAP);
#endif
    for (;;);
}

static bool is_entry(uint32_t address) { return address % 4 == 0 && address - MAIN_RAM_BASE < MAIN_RAM_SIZE; }

#ifdef BOOT_AT_ONCE

static void start_memory(void) { sdram_start(); }

static uint32_t find_program(void) { return MAIN_RAM_BASE; }

#else

static const struct main_memory main_memory = {MAIN_RAM_BASE, MAIN_RAM_SIZE, (uint8_t *)MAIN_RAM_BASE};

/* A board without working memory tries again forever, and says why to a host that connects late. */
static void start_memory(void) {
    struct memory_fault fault;

    for (;;) {
        uint32_t start = line_now();

        sdram_start();
        if (memory_test((volatile uint32_t *)MAIN_RAM_BASE, MAIN_RAM_SIZE, &fault)) break;
        say("boot: memory test failed at ");
        say_hex(MAIN_RAM_BASE + fault.offset);
        say(": read ");
        say_hex(fault.found);
        say(", wrote ");
        say_hex(fault.expected);
        say("; next try in a second\n");
        while (!line_passed(start, RETRY_MS));
    }
    say("boot: memory test passed, ");
    say_decimal(MAIN_RAM_SIZE >> 20);
    say(" MB at ");
    say_hex(MAIN_RAM_BASE);
    say("\n");
}

static uint32_t find_program(void) { return serial_boot(&main_memory); }

#endif

__attribute__((noreturn)) void boot(void) {
    uint32_t entry = ctrl_scratch_read();

    if (!is_entry(entry)) {
        if (entry != SDRAM_RUNS) {
            start_memory();
            ctrl_scratch_write(SDRAM_RUNS);
        }
        entry = find_program();
        ctrl_scratch_write(entry);
    }
    __asm__ volatile("fence.i");
    ((void (*)(void))entry)();
    say("\nboot: the program returned\n");
    boot_trap(0, entry, 0);
}
