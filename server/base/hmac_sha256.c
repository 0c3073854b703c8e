/* hmac_sha256.c - implements hmac_sha256.h with nettle. */
#include "hmac_sha256.h"
#include <nettle/hmac.h>

void hmac_sha256(const void *key, size_t key_len, const struct hmac_part *parts,
	int n, uint8_t out[SHA256_BYTES])
{
	struct hmac_sha256_ctx c;
	hmac_sha256_set_key(&c, key_len, key);
	for (int i = 0; i < n; i++)
		hmac_sha256_update(&c, parts[i].len, parts[i].bytes);
	hmac_sha256_digest(&c, SHA256_BYTES, out);
}
