/* sha256.h - the digest that identifies uploads, kernels, migrations and
 * tokens.
 *
 * It is nettle's SHA-256, in a struct that needs no header of nettle. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_HEX = 65 };

struct sha256 {
	_Alignas(16) unsigned char state[256];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t len);
/* Writes the digest and initializes the struct again, as sha256_init() does. */
void sha256_end(struct sha256 *s, uint8_t digest[SHA256_BYTES]);
void sha256_of(const void *bytes, size_t len, uint8_t digest[SHA256_BYTES]);
/* Writes 64 lower-case hexadecimal digits and a NUL. */
void sha256_hex(const uint8_t digest[SHA256_BYTES], char hex[SHA256_HEX]);
