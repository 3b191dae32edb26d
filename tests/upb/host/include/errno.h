#define ENOMEM 12
#define ERANGE 34
extern int errno;
