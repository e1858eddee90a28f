/* Requests as they come in: nothing of one is believed before this has seen it. */
#include "translate/translate.h"
#include "abi/address_map.h"
#include "superblock_hash.h"

const char *request_check(const struct superblock_request *q, size_t size)
{
	if (size < sizeof(*q) || q->magic != SUPERBLOCK_REQUEST_MAGIC)
		return "this is no request";
	if (q->version != GALENA_SUPERBLOCK_VERSION)
		return "the request is of another version";
	if (q->code_bytes != size - sizeof(*q) || q->code_bytes > SUPERBLOCK_MAX_CODE || q->code_bytes % GALENA_PAGE_SIZE)
		return "the request is not as long as it says";
	if (q->code_va % GALENA_PAGE_SIZE || q->code_va + q->code_bytes < q->code_va)
		return "the code lies at no page";
	if (q->flags & ~(uint32_t)(SUPERBLOCK_CHECK | SUPERBLOCK_MASKED | SUPERBLOCK_DIVERGENT))
		return "the request asks for what is not known";
	if (q->simd < SIMD_PORTABLE || q->simd > SIMD_AVX512)
		return "the host's vectors are of no known kind";
	for (unsigned i = 0; i < 64; i++) {
		unsigned encoding = q->encoding[i];
		bool fits = encoding == ENC_UNIFORM || encoding == ENC_WORD || encoding == ENC_FULL || (encoding == ENC_AFFINE && i < REG_F);
		if (!fits || (i == 0 && encoding != ENC_UNIFORM))
			return "a register has no encoding";
	}
	for (uint64_t m = q->in_private; m; m &= m - 1)
		if (m >> 32 || q->encoding[__builtin_ctzll(m)] != ENC_UNIFORM)
			return "what is no uniform integer points into private memory";
	for (unsigned i = 0; i < 3; i++)
		if (q->id_encoding[i] != ENC_UNIFORM && q->id_encoding[i] != ENC_AFFINE && q->id_encoding[i] != ENC_WORD)
			return "a local id has no encoding";
	return NULL;
}
