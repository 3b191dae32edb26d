# The binaries of an image's layouts. SLOT0 to SLOT4 are their file names.
    .section .slot0, "a"
    .incbin SLOT0
    .section .slot1, "a"
    .incbin SLOT1
    .section .slot2, "a"
    .incbin SLOT2
    .section .slot3, "a"
    .incbin SLOT3
    .section .slot4, "a"
    .incbin SLOT4
