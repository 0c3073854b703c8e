/* layer_read.h - words of blocks and roles in the catalogue's documents; for
 * layer_words.c and module_words.c. */
#pragma once
#include "breakdown.h"
#include "entries.h"

/* Which of `words` it is; `n` where it is none of them, or NULL. */
uint32_t layer_read_which(const char *const *words, uint32_t n,
	const char *word);
/* The entry's member "block"; BLOCKS where it has none. */
bool layer_read_block(const struct entries *d, size_t i,
	enum layer_block_kind *out, struct err *e);
/* Adds the roles in the list `key` of the entry, where it has one. */
bool layer_read_roles(const struct entries *d, size_t i, const char *key,
	layer_roles *out, struct err *e);
