# Entry of the test programs: stack, main, its result to sim_finish.
    .section .text.start, "ax"
    .globl _start
_start:
    la   sp, stack_top
    call main
    li   t0, SIM_FINISH
    sw   a0, 0(t0)
1:  j    1b
