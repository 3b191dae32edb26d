/* The peers of a program that adds none to the engines. */
#include "programs/measure/engine.h"

__attribute__((weak)) const struct engine_peer engine_peers[1] = {{0}};
__attribute__((weak)) const unsigned engine_peer_count = 0;
