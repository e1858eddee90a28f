/* examples/bringup.c as a function, for testbench/rtl/cp_firmware.c. */
int bringup_main(int argc, char **argv);
#define main bringup_main
#include "examples/bringup.c"
