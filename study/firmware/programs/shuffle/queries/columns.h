/* Where the values of the tables come from: pseudorandom numbers by row and column (shuffle_random). */
#ifndef HW_PROGRAMS_SHUFFLE_QUERIES_COLUMNS_H
#define HW_PROGRAMS_SHUFFLE_QUERIES_COLUMNS_H

#include "programs/shuffle/queries/tables.h"

uint32_t table_random(uint32_t row, enum table_random column);

#endif
