# Reset entry of the boot ROM. A trap before the program in main memory has
# installed its own handler ends in boot_trap.
    .section .text.start, "ax"
    .globl _start
_start:
    la   sp, boot_stack
    la   t0, trap
    csrw mtvec, t0
    csrw mie, zero
    j    boot

    .balign 4
trap:
    la   sp, boot_stack
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    j    boot_trap
