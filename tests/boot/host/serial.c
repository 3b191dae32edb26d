/* serial BASE BYTES FILE: boots from the line, prints the entry address on standard error, and writes main memory to
 * FILE. */
#include <stdio.h>
#include <stdlib.h>

#include "serial.h"

int main(int count, char **arguments) {
    if (count != 4) return 1;

    struct main_memory memory = {(uint32_t)strtoul(arguments[1], 0, 0), (uint32_t)strtoul(arguments[2], 0, 0), 0};
    FILE *file;

    memory.memory = calloc(memory.bytes, 1); /* ASan guards both ends */
    fprintf(stderr, "%#x\n", serial_boot(&memory));
    file = fopen(arguments[3], "wb");
    if (fwrite(memory.memory, 1, memory.bytes, file) != memory.bytes || fclose(file)) return 1;
    free(memory.memory);
    return 0;
}
