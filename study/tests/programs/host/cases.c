/* Cases of what the study's programs exchange and compare. */
#include "../../../../tests/common/cases.h"

#include "memory.h"

int main(int argc, char **argv) {
    memory_map();
    return run_case(argc, argv);
}
