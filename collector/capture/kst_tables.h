/* kst_tables.h - the texts and launches a reader has met.
 *
 * A chunk defines some with consecutive ids, above all that came before; where
 * a chunk is lost there is a gap, which costs no memory. Readers' cells are
 * places in the tables, from 1. */
#pragma once
#include "kst_memory.h"
#include "kst_wire.h"

struct kst_ids {
	struct kst_stretch {
		uint64_t first, n; /* ids */
		uint64_t place; /* of the first */
	} * list;
	uint32_t n, cap;
	uint32_t hit; /* the stretch found last */
};

struct kst_tables {
	const struct kst_memory *memory;
	struct kst_ids text_ids, launch_ids;
	struct kst_text {
		const char *at; /* ends in NUL */
		uint64_t len;
	} * texts;
	struct kst_known {
		int64_t name; /* a text's place, or KST_LOST */
		struct kst_shape shape;
		bool told; /* the shape is not -1 throughout */
	} * launches;
	uint64_t texts_n, texts_cap, launches_n, launches_cap;
	struct kst_bytes { /* of the texts, a block per chunk */
		struct kst_bytes *below;
		char at[];
	} * bytes;
};

enum kst_defined {
	KST_DEFINED,
	KST_DEFINED_NOT, /* these are no definitions, or not new ones */
	KST_DEFINED_FULL, /* no memory */
};

/* False where there is no memory. */
bool kst_tables_init(struct kst_tables *t, const struct kst_memory *m);
/* Takes the n texts of a chunk. */
enum kst_defined kst_tables_texts(struct kst_tables *t, const uint8_t *at,
	size_t len, uint32_t n);
/* Takes n launches; the cells of column c are at cells + c * n, their names
 * places already. */
enum kst_defined kst_tables_launches(struct kst_tables *t,
	const uint64_t *cells, uint32_t n);
/* The place of an id; 0 for 0, KST_LOST where nobody defined it. */
int64_t kst_ids_place(struct kst_ids *ids, uint64_t id);
void kst_tables_release(struct kst_tables *t);
