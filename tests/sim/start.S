# Entry of the test programs: sets the stack, calls main, and writes its result to SIM_FINISH.
    .section .text.start, "ax"
    .globl _start
_start:
    la   sp, stack_top
    call main
    li   t0, SIM_FINISH
    sw   a0, 0(t0)
1:  j    1b
