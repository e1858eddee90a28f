/* Which addresses are handles of objects. A handle comes from the application and may be anything: NULL, an object of another library,
 * one that has been released, a number. It is looked up here before anything is read through it. Each library has a table of its own,
 * for as long as it is loaded. Threads: any. A forked child has a copy of the table. */
#ifndef GALENA_BASE_HANDLE_H
#define GALENA_BASE_HANDLE_H
#include <stdbool.h>

/* An address that is not there yet. False: out of memory. */
bool handle_add(const void *);
/* One that is there. */
void handle_remove(const void *);
/* Takes no lock. */
bool handle_known(const void *);

#endif
