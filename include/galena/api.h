/* What the kit's libraries show to programs. */
#ifndef GALENA_API_H
#define GALENA_API_H

#define GALENA_API __attribute__((visibility("default")))

#endif
