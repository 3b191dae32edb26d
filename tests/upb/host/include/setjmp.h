#ifndef JUDGE_SETJMP_H
#define JUDGE_SETJMP_H

typedef void *jmp_buf[5];
#define setjmp(at) __builtin_setjmp(at)
#define longjmp(at, value) __builtin_longjmp(at, 1)

#endif
