/* Imports whose memory the application takes away while devices may access it (unmapped.c). All of it is hardware state. */
#ifndef GALENA_RUNTIME_KMD_UNMAPPED_H
#define GALENA_RUNTIME_KMD_UNMAPPED_H
#include "runtime/kmd/driver.h"

/* The memory of an import is about to be pinned. The address by which devices reach it: the driver's own mapping, where it is shared. */
uint8_t *unmapped_watch(struct driver *, struct bo *);
/* Devices do not reach it any more. */
void unmapped_forget(struct driver *, struct bo *);
/* The driver closes: signals are handled as before. */
void unmapped_close(struct driver *);
/* Before the devices run, while rules are checked: has memory been taken away that is still mapped, with other contents? */
void unmapped_verify(struct driver *);
/* After the device has run: what it has met becomes known, and the commands that may have met it fail. */
void unmapped_report(struct driver *, struct device *);
/* A command has met a bus error at an address. If an import lies there that was taken away, it fails for that. */
void unmapped_at(struct driver *, struct command *, uint64_t va);
/* The command has ended: its record says that it has failed. */
void unmapped_end(struct command *);

#endif
