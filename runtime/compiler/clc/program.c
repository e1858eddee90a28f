/* galena-clc, the program. */
#include "runtime/compiler/clc/clc.h"

extern char **environ;

int main(int argc, char **argv) { return clc_main(argc, argv, environ); }
