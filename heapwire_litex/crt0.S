/* Start of LiteX's BIOS and of LiteX's bare-metal programs: sets up stack, variables and traps, then calls main.
 * LiteX's linker script gives the places of variables and of their initial values. */
    .text                               /* first in the image: the core starts here */
    .global _start
_start:
    la      sp, _fstack
    la      t0, trap_entry
    csrw    mtvec, t0

    la      t0, _fdata_rom
    la      t1, _fdata
    la      t2, _edata
    beq     t0, t1, clear           /* already in their place */
copy:
    bgeu    t1, t2, clear
    lw      t3, 0(t0)
    sw      t3, 0(t1)
    addi    t0, t0, 4
    addi    t1, t1, 4
    j       copy

clear:
    la      t1, _fbss
    la      t2, _ebss
1:  bgeu    t1, t2, 2f
    sw      zero, 0(t1)
    addi    t1, t1, 4
    j       1b

2:  li      t0, 0x880               /* timer and external interrupts, once mstatus.MIE is set */
    csrw    mie, t0
    call    main
3:  j       3b

/* Saves the registers that C may change, calls LiteX's `isr`, and returns. */
    .set    SAVED, 16
    .macro  each operation
    \operation ra,  0*4(sp)
    \operation t0,  1*4(sp)
    \operation t1,  2*4(sp)
    \operation t2,  3*4(sp)
    \operation t3,  4*4(sp)
    \operation t4,  5*4(sp)
    \operation t5,  6*4(sp)
    \operation t6,  7*4(sp)
    \operation a0,  8*4(sp)
    \operation a1,  9*4(sp)
    \operation a2, 10*4(sp)
    \operation a3, 11*4(sp)
    \operation a4, 12*4(sp)
    \operation a5, 13*4(sp)
    \operation a6, 14*4(sp)
    \operation a7, 15*4(sp)
    .endm

    .balign 4
    .global trap_entry
trap_entry:
    addi    sp, sp, -SAVED*4
    each    sw
    call    isr
    each    lw
    addi    sp, sp, SAVED*4
    mret
