/* For memory whose PHY must be trained: initialization and training by LiteX's liblitedram, compiled from its own
 * sources. SDRAM_TEST_DISABLE leaves out its memory tests, which are longer than everything else. */
#include <liblitedram/sdram.h>

#include "../sdram.h"

void sdram_start(void) { sdram_init(); }
