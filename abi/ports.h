/* What goes through the ports of blocks, from ports.def: struct BLOCK_PORT. */
#ifndef GALENA_ABI_PORTS_H
#define GALENA_ABI_PORTS_H
#include "abi/codes.h"
#include "abi/packets.h"
#include "abi/values.h"
#include <stdbool.h>
#include <stdint.h>

#define PORT_BEGIN(block, port, direction, flow, model, doc) struct block##_##port {
#define PORT_FIELD(block, port, type, field, bits, doc) type field;
#define PORT_ARRAY(block, port, type, field, count, bits, doc) type field[count];
#define PORT_END(block, port) };
#define PORT_TICK(block)
#include "abi/ports.def"
#undef PORT_BEGIN
#undef PORT_FIELD
#undef PORT_ARRAY
#undef PORT_END
#undef PORT_TICK

#endif
