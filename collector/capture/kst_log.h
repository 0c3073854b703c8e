/* kst_log.h - the layout of entries in a tail, and how they are read back.
 *
 * README.md, *The tail*, describes the same in prose. */
#pragma once
#include <kernsift/kst_tail.h>
#include "kst_wire.h"

#define KST_TAIL_MAGIC "\x89KTL\r\n\x1a\n"

enum {
	KST_SLOT = 64, /* bytes of each of the two */
	KST_SLOT_SUM = 36, /* position of its checksum, after what it covers */
	KST_COMMIT = 2 * KST_SLOT, /* generation and length */
	KST_LOG = 3 * KST_SLOT, /* where entries begin */
	KST_LOG_COLUMNS = 16, /* no kind has more */
	KST_ROW_ROOM = 1 + 2 + 10 * (KST_LOG_COLUMNS + 1) + 4,
	KST_ENTRY_MIN = 1 + 1 + 4, /* bytes */
	KST_TAIL_MOST = 64 << 20, /* a larger file is no tail */
};

/* The values that rows of each kind store their differences to. */
struct kst_before {
	uint64_t cells[KST_KINDS_END][KST_LOG_COLUMNS];
};

struct kst_log {
	struct kst_place_in place;
	const uint8_t *at, *end, *first;
	uint32_t sum; /* of the entry before */
	uint32_t length; /* as last written; 0: not written */
	bool damaged; /* entries are missing, when no more come */
	struct kst_before before;
};

struct kst_entry {
	int kind; /* KST_text, or of rows */
	const uint64_t *cells; /* of rows: all of the kind; until the next */
	const char *text;
	size_t len;
};

/* False where these bytes are no tail, or the beginning is damaged. They are
 * borrowed. */
bool kst_log_open(struct kst_log *l, const uint8_t *bytes, size_t len);
/* Entries of unknown kinds are skipped. */
bool kst_log_next(struct kst_log *l, struct kst_entry *e);
