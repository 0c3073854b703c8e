/* sha256.h - the digest that names uploads, kernels, migrations and tokens.
 *
 * nettle's SHA-256, behind a struct that needs no outside header. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_HEX = 65 };

struct sha256 {
	_Alignas(16) unsigned char state[256];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t len);
/* The digest; the struct is as after sha256_init(). */
void sha256_end(struct sha256 *s, uint8_t digest[SHA256_BYTES]);
void sha256_of(const void *bytes, size_t len, uint8_t digest[SHA256_BYTES]);
/* 64 lower-case digits and a NUL. */
void sha256_hex(const uint8_t digest[SHA256_BYTES], char hex[SHA256_HEX]);
