/* ledger.h - sums by id and code, which are signed integers, and their encoding
 * as bytes in rollups.
 *
 * A row has an id and terms. A term is the sum of one code; sums of 0 are
 * omitted. The bytes begin with the number of rows. Each row, in the order of
 * ids, has its id minus the previous id, and the number of its terms. Each
 * term, in the order of codes, has its sum, tagged with its code minus the
 * previous code (the first: its code plus 1). All numbers are encoded as in
 * int128.h. Equal sums have equal bytes. */
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

/* The row of an id, which is added if missing; valid until another row is
 * added. */
struct ledger_row *ledger_row(struct ledger *l, int64_t id);
void ledger_add(struct ledger *l, struct ledger_row *row, int32_t code,
	int128 sum);
/* The sum of a code; 0 if the row has no such term. */
int128 ledger_sum(const struct ledger_row *row, int32_t code);

/* Adds the sums in these bytes, `sign` times; false if the bytes are not a
 * ledger. */
bool ledger_read(struct ledger *l, struct int128_reader *b, int sign);
/* Calls `each` for every row with the row's sum of `code`, 0 if it has none. */
bool ledger_each(struct int128_reader *b, int32_t code,
	void (*each)(void *ctx, int64_t id, int128 sum), void *ctx);
/* Writes the ledger; omits rows and terms whose sum is 0. */
void ledger_write(const struct ledger *l, struct buf *b);
/* Whether every sum is 0. */
bool ledger_is_empty(const struct ledger *l);
