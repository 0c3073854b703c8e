/* hmac_sha256.h - a signature that only the owner of the key can make (RFC
 * 2104). */
#pragma once
#include "sha256.h"

/* The message is the concatenation of several parts. */
struct hmac_part {
	const void *bytes;
	size_t len;
};
void hmac_sha256(const void *key, size_t key_len, const struct hmac_part *parts,
	int n, uint8_t out[SHA256_BYTES]);
