# Entry, trap entry and exit of the programs in main memory.
#
# The image begins with a jump and a header. By the header, the layouts of one program find each other (link.ld,
# finish.c).

    .section .text.start, "ax"
    .globl _start
_start:
    j    start
    .globl hw_image_magic
hw_image_magic:
    .word 0x4d495748            # "HWIM"
    .globl hw_image_code
hw_image_code:
    .word 0                     # the worst exit code of the layouts that ran before this one

start:
    .option push
    .option norelax
    la   gp, __global_pointer$
    .option pop
    la   sp, stack_top
    la   tp, tls_base
    csrw mie, zero
    csrw 0xbc0, zero            # mask of the external interrupt array
    la   t0, hw_trap
    csrw mtvec, t0
    la   t0, bss_start
    la   t1, bss_end
1:  bgeu t0, t1, 2f
    sw   zero, 0(t0)
    addi t0, t0, 4
    j    1b
2:  fence.i
    li   t0, 0x800              # machine external interrupts; each line has its own mask
    csrw mie, t0
    csrsi mstatus, 8
    call main
    tail hw_finish

# Saves the caller-saved registers and mstatus. hw_trap_handle receives mcause, mepc, mtval and ra, and returns the
# address at which to continue; it must not enable interrupts. It may switch to another thread's stack and come back later
# (thread/switch.S): by then, the whole state of the interrupted thread is on its stack, except for mepc, which
# hw_trap_handle returns.
    .section .text.trap, "ax"
    .balign 4
    .globl hw_trap
hw_trap:
    addi sp, sp, -80
    sw   ra, 0(sp)
    sw   t0, 4(sp)
    sw   t1, 8(sp)
    sw   t2, 12(sp)
    sw   a0, 16(sp)
    sw   a1, 20(sp)
    sw   a2, 24(sp)
    sw   a3, 28(sp)
    sw   a4, 32(sp)
    sw   a5, 36(sp)
    sw   a6, 40(sp)
    sw   a7, 44(sp)
    sw   t3, 48(sp)
    sw   t4, 52(sp)
    sw   t5, 56(sp)
    sw   t6, 60(sp)
    csrr t0, mstatus
    sw   t0, 64(sp)
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    mv   a3, ra
    call hw_trap_handle
    lw   t0, 64(sp)
    csrw mepc, a0
    csrw mstatus, t0
    lw   ra, 0(sp)
    lw   t0, 4(sp)
    lw   t1, 8(sp)
    lw   t2, 12(sp)
    lw   a0, 16(sp)
    lw   a1, 20(sp)
    lw   a2, 24(sp)
    lw   a3, 28(sp)
    lw   a4, 32(sp)
    lw   a5, 36(sp)
    lw   a6, 40(sp)
    lw   a7, 44(sp)
    lw   t3, 48(sp)
    lw   t4, 52(sp)
    lw   t5, 56(sp)
    lw   t6, 60(sp)
    addi sp, sp, 80
    mret
