/* ledger.h - sums by id and code, signed and whole, and the bytes of them that
 * rollups hold.
 *
 * A row has an id and terms: what is summed by a code, of which those that are
 * not 0 are there. Bytes, all numbers as wide.h has them: how many rows, and of
 * each, by id, its id less the one before, how many terms, and of each, by code,
 * its sum, with its code less the one before (the first: less -1) beside it. The
 * same sums are always the same bytes. */
#pragma once
#include "arena.h"
#include "int128.h"

struct ledger_term {
	int32_t code;
	int128 sum;
};

struct ledger_row {
	int64_t id;
	struct ledger_term *terms; /* by code */
	uint32_t n, room;
};

struct ledger {
	struct arena *arena;
	struct ledger_row *rows; /* by id */
	uint32_t n, room;
};

/* The row of an id, made where there is none; good until the next one is. */
struct ledger_row *ledger_row(struct ledger *l, int64_t id);
void ledger_add(struct ledger *l, struct ledger_row *row, int32_t code,
	int128 sum);
/* 0 where there is none. */
int128 ledger_sum(const struct ledger_row *row, int32_t code);

/* Adds what bytes hold, `sign` times; false where they are none of ours. */
bool ledger_read(struct ledger *l, struct wide_bytes *b, int sign);
/* Of each row the sum of `code` alone, 0 where there is none. */
bool ledger_each(struct wide_bytes *b, int32_t code,
	void (*each)(void *ctx, int64_t id, int128 sum), void *ctx);
/* Without rows and terms that came to 0. */
void ledger_write(const struct ledger *l, struct buf *b);
/* Whether all has come to 0. */
bool ledger_is_empty(const struct ledger *l);
