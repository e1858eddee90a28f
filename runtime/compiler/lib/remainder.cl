/* The remainder instruction of the IR, which the back end turns into calls of C's functions. */
#include "builtins.h"

float fmodf(float x, float y);
float fmodf(float x, float y) { return fmod(x, y); }

double galena_fmod(double x, double y) __asm("fmod");
double galena_fmod(double x, double y) { return fmod(x, y); }
