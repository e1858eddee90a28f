/* Numbers of the architecture, from constants.def. */
#ifndef GALENA_ABI_CONSTANTS_H
#define GALENA_ABI_CONSTANTS_H

enum {
#define CONSTANT(name, value, doc) name = (value),
#include "abi/constants.def"
#undef CONSTANT
};

#endif
