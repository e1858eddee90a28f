/* Video processing: a rectangle of a surface, made of another surface row by row. */
#ifndef GALENA_MODEL_MEDIA_PROCESS_H
#define GALENA_MODEL_MEDIA_PROCESS_H
#include "model/media/port.h"

struct process;
/* NULL when memory is short. */
struct process *process_create(void);
void process_destroy(struct process *);
/* The next step of a job is its first one. */
void process_begin(struct process *, const struct packet_process *);
/* A step of the job at cycle now. Returns false when the job is over, or has failed: the port's result tells. *next is when the next
 * step is due, or when the unit is done with the last one. */
bool process_step(struct process *, struct port *, uint64_t now, uint64_t *next);

#endif
