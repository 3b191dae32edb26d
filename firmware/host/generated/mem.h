/* Main memory of the host build, mapped at the address that it has on the simulated board (memory.c). */
#ifndef HW_HOST_GENERATED_MEM_H
#define HW_HOST_GENERATED_MEM_H

#define MAIN_RAM_BASE 0x40000000L
#define MAIN_RAM_SIZE 0x04000000

#endif
