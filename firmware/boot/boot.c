/* Boot ROM: brings the SDRAM controller up and jumps to main memory, where the
 * simulator has put the program. It keeps the ROM's trap handler until the
 * program installs its own, so that a program that dies at once says so. */
#include <stdint.h>

#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/sdram_phy.h>
#include <generated/soc.h>

/* Exit code of a program that trapped before it had a handler of its own. */
#define EXIT_BOOT_TRAP 112

/* In the scratch register from when the SDRAM runs until the system is reset. A debugger resets
 * the core alone, and a controller that runs must not be started again under the units' accesses. */
#define SDRAM_RUNS 0x5d2a4e55

/* The delays between the steps of the SDRAM's initialization, in loop passes.
 * A model needs none. */
void cdelay(int passes)
{
#ifdef CONFIG_SIMULATION
    (void)passes;
#else
    for (; passes > 0; passes--)
        __asm__ volatile("nop");
#endif
}

static void sdram_init(void)
{
#if defined(SDRAM_PHY_WRITE_LEVELING_CAPABLE) || defined(SDRAM_PHY_READ_LEVELING_CAPABLE)
#error "this PHY must be trained, which the boot ROM does not do"
#endif
    sdram_dfii_control_write(DFII_CONTROL_CKE | DFII_CONTROL_ODT | DFII_CONTROL_RESET_N);
    init_sequence();
    sdram_dfii_control_write(DFII_CONTROL_SEL);
}

static void put(const char *text)
{
    for (; *text; text++) {
        while (uart_txfull_read())
            ;
        uart_rxtx_write(*text);
    }
}

static void put_hex(uint32_t value)
{
    for (int shift = 28; shift >= 0; shift -= 4) {
        char digit[2] = {"0123456789abcdef"[(value >> shift) & 15], 0};
        put(digit);
    }
}

__attribute__((noreturn)) void boot_trap(uint32_t cause, uint32_t pc, uint32_t value)
{
    put("\nboot: trap, mcause ");
    put_hex(cause);
    put(" mepc ");
    put_hex(pc);
    put(" mtval ");
    put_hex(value);
    put("\n");
#ifdef CSR_SIM_FINISH_BASE
    sim_finish_code_write(EXIT_BOOT_TRAP);
#endif
    for (;;)
        ;
}

__attribute__((noreturn)) void boot(void)
{
    if (ctrl_scratch_read() != SDRAM_RUNS) {
        sdram_init();
        ctrl_scratch_write(SDRAM_RUNS);
    }
    __asm__ volatile("fence.i");
    ((void (*)(void))MAIN_RAM_BASE)();
    put("\nboot: the program returned\n");
    boot_trap(0, MAIN_RAM_BASE, 0);
}
