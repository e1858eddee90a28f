/* What galena-clc --dependencies writes and the build cache reads: the files of the host that a result depends on, besides the
 * request and clang's own headers. A record is a letter and a path, with a 0 behind it; an empty record ends the list. An empty file
 * is no list: the dependencies are not known. */
#ifndef GALENA_COMPILER_DEPEND_H
#define GALENA_COMPILER_DEPEND_H

enum {
	DEPEND_USED = 'u',    /* clang has read the file */
	DEPEND_MISSING = 'm', /* clang would have read the file in place of another one if it had been there */
};

#endif
