/* Pictures, as buffers make them: steps of video processing, or scans of a JPEG picture. */
#ifndef GALENA_RUNTIME_VAAPI_PICTURE_H
#define GALENA_RUNTIME_VAAPI_PICTURE_H
#include "runtime/vaapi/job.h"

/* NULL without memory. */
struct steps *steps_create(void);
void steps_destroy(struct steps *);
/* Back to none. */
void steps_reset(struct steps *);
VAStatus steps_add(struct display *, struct steps *, const struct surface *target, const struct buffer *);
void steps_job(const struct steps *, const struct surface *target, struct job *);

struct jpeg *jpeg_create(void);
void jpeg_destroy(struct jpeg *);
/* Tables stay as they are. */
void jpeg_reset(struct jpeg *);
VAStatus jpeg_add(struct jpeg *, struct buffer *);
void jpeg_job(const struct jpeg *, struct surface *target, struct job *);

#endif
