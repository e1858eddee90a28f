/* Control and status registers of a work-item (abi/csr.def). */
#ifndef GALENA_MODEL_CSR_H
#define GALENA_MODEL_CSR_H
#include "model/cu/register_file.h"

enum { CSR_FFLAGS = 0x001, CSR_FRM = 0x002, CSR_FCSR = 0x003, CSR_CYCLE = 0xc00, CSR_INSTRET = 0xc02 };
/* CSR_KIND_COUNTER: cycle and instret; CSR_KIND_ID: those of abi/csr.def. Both are read-only. */
enum csr_kind { CSR_KIND_NONE, CSR_KIND_FP, CSR_KIND_COUNTER, CSR_KIND_ID };
enum csr_kind csr_kind(unsigned number);

/* Local ids of the lanes of a warp. */
struct local_ids {
	uint32_t size[2], first;
	uint8_t encoding[4];      /* enum register_encoding of them, were all lanes live; 0 */
	uint32_t id[3][LANES];
};
/* Those of the warp, kept by its unit. */
const struct local_ids *csr_local_ids(struct warp *);

#endif
