/* Of the compile server, internal. */
#ifndef GALENA_COMPILE_SERVER_TEXT_H
#define GALENA_COMPILE_SERVER_TEXT_H

/* Moves the large parts of the process' code to huge pages, where the system has them. One thread only. Takes some 100 ms and as much
 * memory as the code. */
void text_to_huge_pages(void);

#endif
