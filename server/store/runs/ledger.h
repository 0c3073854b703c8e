/* ledger.h - sums by id and code, signed integers, and the bytes of them that
 * rollups store.
 *
 * A row has an id and terms: a sum per code, without those that are 0. Bytes,
 * all numbers as in int128.h: the number of rows; of each row, by id, its id
 * minus the previous one and the number of its terms; of each term, by code,
 * its sum, tagged with its code minus the previous one (the first: plus 1).
 * Equal sums have equal bytes. */
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

/* The row of an id, added if missing; valid until another one is added. */
struct ledger_row *ledger_row(struct ledger *l, int64_t id);
void ledger_add(struct ledger *l, struct ledger_row *row, int32_t code,
	int128 sum);
/* 0 without such a term. */
int128 ledger_sum(const struct ledger_row *row, int32_t code);

/* Adds the sums in these bytes, `sign` times; false if they are no ledger. */
bool ledger_read(struct ledger *l, struct int128_reader *b, int sign);
/* Calls `each` for every row with its sum of `code`, 0 without one. */
bool ledger_each(struct int128_reader *b, int32_t code,
	void (*each)(void *ctx, int64_t id, int128 sum), void *ctx);
/* Rows and terms whose sum is 0 are left out. */
void ledger_write(const struct ledger *l, struct buf *b);
/* Whether every sum is 0. */
bool ledger_is_empty(const struct ledger *l);
