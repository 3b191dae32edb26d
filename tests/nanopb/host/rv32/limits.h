#ifndef RV32_LIMITS_H
#define RV32_LIMITS_H

#define CHAR_BIT 8

#endif
