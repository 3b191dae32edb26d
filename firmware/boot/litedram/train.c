/* Memory whose PHY must be trained: initialization and training are those of LiteX's liblitedram, compiled from
 * its own sources (SDRAM_TEST_DISABLE: without its memory tests, which are longer than all else). */
#include <liblitedram/sdram.h>

#include "../sdram.h"

void sdram_start(void)
{
    sdram_init();
}
