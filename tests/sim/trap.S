# A program that traps at once, before it has a trap handler.
    .section .text.start, "ax"
    .globl _start
_start:
    .word 0xffffffff
