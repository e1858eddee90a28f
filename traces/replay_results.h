/* Replays a bus trace on a configuration of which software sees the same, but whose caches, latencies or exactness may differ: the device
 * makes other accesses, in another order and at other times. What it reads comes from the pages of the trace; compared is what it comes to:
 *
 * - After each call the device goes on until it has written what it had written then. It may be further.
 * - An interrupt that the trace has is waited for. Two that were raised one after the other may come as one, and the other way round.
 * - Where all devices are idle, every byte that either of them has written is compared, but for the cycles in records
 *   (replay_times.h).
 * - Registers: replay_registers.h. */
#ifndef GALENA_TRACES_REPLAY_RESULTS_H
#define GALENA_TRACES_REPLAY_RESULTS_H
#include "traces/replay.h"

/* As replay_run(), on options->config. */
int replay_results_run(const char *path, const struct replay_options *, struct replay_result *, const char **error);

#endif
