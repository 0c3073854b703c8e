/* sha256.c - implements sha256.h; only this file includes nettle's SHA-256. */
#include "sha256.h"
#include <nettle/sha2.h>
/* nettle renames its functions with macros of these names. */
#undef sha256_init
#include <stdio.h>

_Static_assert(sizeof(struct sha256_ctx) <= sizeof(struct sha256),
	"nettle's state fits ours");

static struct sha256_ctx *sha256_ctx(struct sha256 *s)
{
	return (struct sha256_ctx *)(void *)s->state;
}

void sha256_init(struct sha256 *s)
{
	nettle_sha256_init(sha256_ctx(s));
}

void sha256_add(struct sha256 *s, const void *bytes, size_t len)
{
	nettle_sha256_update(sha256_ctx(s), len, bytes);
}

void sha256_end(struct sha256 *s, uint8_t digest[SHA256_BYTES])
{
	nettle_sha256_digest(sha256_ctx(s), SHA256_BYTES, digest);
}

void sha256_of(const void *bytes, size_t len, uint8_t digest[SHA256_BYTES])
{
	struct sha256 s;
	sha256_init(&s);
	sha256_add(&s, bytes, len);
	sha256_end(&s, digest);
}

void sha256_hex(const uint8_t digest[SHA256_BYTES], char hex[SHA256_HEX])
{
	for (size_t i = 0; i < SHA256_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}
