/* The file that a device keeps its profile in, if GALENA_PROFILE asks for one; the recorder of the process knows it. */
#ifndef GALENA_TRACES_PROFILE_SHARE_H
#define GALENA_TRACES_PROFILE_SHARE_H

/* *path: the file, new and empty, to be freed; NULL: no process asks. 0, or -1 with *error, one line. */
int profile_share(unsigned device, char **path, const char **error);

#endif
