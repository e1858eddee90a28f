/* The files PID-deviceN.counts of a profile (GALENA_PROFILE); in the recorder, which makes them when the program has ended, in whatever
 * way, of the memory that the devices have counted in (model/profile/profile_memory.h). */
#ifndef GALENA_MODEL_PROFILE_FILE_H
#define GALENA_MODEL_PROFILE_FILE_H

/* A device keeps its profile in this file. 0, or -1 with *error, one line. */
int profile_file_open(const char *path, const char **error);
/* The program has ended: each such file becomes one that can be read. */
void profile_file_end(void);

#endif
