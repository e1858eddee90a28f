/* What a register that the host reads has to read in a replay on another configuration. */
#ifndef GALENA_TRACES_REPLAY_REGISTERS_H
#define GALENA_TRACES_REPLAY_REGISTERS_H
#include <stdbool.h>
#include <stdint.h>

enum register_class {
	REGISTER_SAME,     /* what the trace has */
	REGISTER_BITS,     /* at least the bits that the trace has */
	REGISTER_PROGRESS, /* what the trace has, unless the device has come further: times tell how far */
	REGISTER_FREE,     /* anything: a time, a counter, a parameter of the configuration that may differ */
};
enum register_class register_class(uint32_t offset);
/* What the host sees of the configuration has to be that of the trace. NULL, or why it is not: *recorded, then the other. */
const char *replay_config_refused(const char *recorded, const char *config);

#endif
