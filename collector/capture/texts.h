/* texts.h - which texts of a capture have an id already.
 *
 * Texts are told apart by 128 bits of a hash under a random key, so no bytes
 * are kept. Bounded: when the table is half full all are forgotten, and a text
 * that comes again gets a second id, which the format allows. */
#pragma once
#include "keyed.h"
#include "mapped.h"
#include <stdbool.h>

struct texts {
	struct mapped *memory;
	struct key key[2];
	struct texts_slot {
		uint64_t hash[2];
		int64_t id; /* 0: a free slot */
	} * slots;
	struct texts_key {
		uint64_t key; /* 0: a free slot */
		int64_t id;
	} * keys; /* a cache: a key lies in one place alone */
	uint32_t bits, n;
};

/* Up to 2^(bits - 1) texts and 2^bits keys. No memory is taken yet. */
void texts_init(struct texts *t, struct mapped *memory, uint32_t bits);
void texts_forget(struct texts *t);

/* Where the id that stands for a key is kept: 0 where none is; the caller sets
 * it. NULL where there is no memory. */
struct texts_key *texts_key(struct texts *t, uint64_t key);
/* The same for a text; 0 in a new one has to be replaced. */
int64_t *texts_id(struct texts *t, const char *text, size_t len);
