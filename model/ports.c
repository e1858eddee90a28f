/* Every port of abi/ports.def is there in the model, as the table says: what is missing, or of another kind, does not compile. */
#include "model/cp/cp.h"
#include "model/cu/cu.h"
#include "model/dma/dma.h"
#include "model/media/media.h"
#include "model/sem/sem.h"

#define PORT_BEGIN(block, port, direction, flow, model, doc) PORT_##model(block, port)
#define PORT_CALL(block, port)                                                                     \
	_Static_assert(_Generic(&block##_##port, void (*)(struct block *, const struct block##_##port *, uint64_t): 1, default: 0), \
		       #block "_" #port " is no port");
#define PORT_BACK(block, port)                                                                     \
	_Static_assert(_Generic(((struct block##_params *)0)->port,                                \
				void (*)(void *, const struct block##_##port *, uint64_t): 1, default: 0), \
		       #block "_params." #port " is no port");
#define PORT_ANSWER(block, port)
#define PORT_FIELD(block, port, type, field, bits, doc)
#define PORT_ARRAY(block, port, type, field, count, bits, doc)
#define PORT_END(block, port)
#define PORT_TICK(block) _Static_assert(sizeof(&block##_tick), #block " has no tick");
#include "abi/ports.def"
