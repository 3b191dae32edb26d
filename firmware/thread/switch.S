# void hw_thread_switch(uint32_t *saved, uint32_t stack_pointer)
#
# Saves the callee-saved registers on the stack and the stack pointer in *saved. Then continues the thread of the other
# stack where it was left, or begins it (hw_thread_begin). Interrupts are disabled. The store conditional ends any
# reservation of the thread, so that the next thread cannot use it.

    .section .text.hw_thread_switch, "ax"
    .globl hw_thread_switch
hw_thread_switch:
    addi sp, sp, -64
    sw   ra, 0(sp)
    sw   s0, 4(sp)
    sw   s1, 8(sp)
    sw   s2, 12(sp)
    sw   s3, 16(sp)
    sw   s4, 20(sp)
    sw   s5, 24(sp)
    sw   s6, 28(sp)
    sw   s7, 32(sp)
    sw   s8, 36(sp)
    sw   s9, 40(sp)
    sw   s10, 44(sp)
    sw   s11, 48(sp)
    addi t0, sp, 52
    sc.w zero, zero, (t0)
    sw   sp, 0(a0)
    mv   sp, a1
    lw   ra, 0(sp)
    lw   s0, 4(sp)
    lw   s1, 8(sp)
    lw   s2, 12(sp)
    lw   s3, 16(sp)
    lw   s4, 20(sp)
    lw   s5, 24(sp)
    lw   s6, 28(sp)
    lw   s7, 32(sp)
    lw   s8, 36(sp)
    lw   s9, 40(sp)
    lw   s10, 44(sp)
    lw   s11, 48(sp)
    addi sp, sp, 64
    ret

# A new thread begins here, with its function in s0 and the argument in s1.
    .globl hw_thread_begin
hw_thread_begin:
    mv   a0, s0
    mv   a1, s1
    tail hw_thread_main
