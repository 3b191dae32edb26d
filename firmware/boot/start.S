# Reset entry of the boot ROM. Until the program in main memory installs its own handler, traps end in boot_trap.
    .section .text.start, "ax"
    .globl _start
_start:
    la   sp, boot_stack
    la   t0, trap
    csrw mtvec, t0
    csrw mie, zero
#ifdef BOOT_VARIABLES
    .globl boot_has_variables
    .set boot_has_variables, 1
    la   t0, data_start
    la   t1, data_end
    la   t2, data_image
1:  bgeu t0, t1, 2f
    lw   t3, 0(t2)
    sw   t3, 0(t0)
    addi t0, t0, 4
    addi t2, t2, 4
    j    1b
2:  la   t1, bss_end
3:  bgeu t0, t1, 4f
    sw   zero, 0(t0)
    addi t0, t0, 4
    j    3b
4:
#endif
    j    boot

    .balign 4
trap:
    la   sp, boot_stack
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    j    boot_trap
