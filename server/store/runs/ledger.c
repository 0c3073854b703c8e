/* ledger.c - rows sorted by id, with terms sorted by code. */
#include "ledger.h"
#include <string.h>

/* ROOM: about as many terms as an operator has. */
enum { ROOM = 20, TERMS_MAX = 1 << 16 };

/* Makes room for one more element of `size` bytes; doubles the capacity. */
static void *ledger_more_room(struct arena *a, void *at, uint32_t n,
	uint32_t *room, size_t size)
{
	if (n < *room)
		return at;
	*room = *room ? *room * 2 : ROOM;
	void *to = arena_alloc(a, *room, size);
	if (n)
		memcpy(to, at, n * size);
	return to;
}

struct ledger_row *ledger_row(struct ledger *l, int64_t id)
{
	uint32_t from = 0, to = l->n;
	/* Most ids are added in ascending order. */
	if (to && l->rows[to - 1].id < id)
		from = to;
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (l->rows[middle].id < id)
			from = middle + 1;
		else
			to = middle;
	}
	if (from < l->n && l->rows[from].id == id)
		return &l->rows[from];
	l->rows = ledger_more_room(l->arena, l->rows, l->n, &l->room,
		sizeof *l->rows);
	memmove(&l->rows[from + 1], &l->rows[from],
		(l->n++ - from) * sizeof *l->rows);
	l->rows[from] = (struct ledger_row){ .id = id };
	return &l->rows[from];
}

/* The index of a code at or after index `from`, or where it would be
 * inserted. */
static uint32_t ledger_place(const struct ledger_row *row, uint32_t from,
	int32_t code)
{
	while (from < row->n && row->terms[from].code < code)
		from++;
	return from;
}

static void ledger_add_at(struct ledger *l, struct ledger_row *row, uint32_t at,
	int32_t code, int128 sum)
{
	if (at < row->n && row->terms[at].code == code) {
		row->terms[at].sum += sum;
		return;
	}
	row->terms = ledger_more_room(l->arena, row->terms, row->n, &row->room,
		sizeof *row->terms);
	memmove(&row->terms[at + 1], &row->terms[at],
		(row->n++ - at) * sizeof *row->terms);
	row->terms[at] = (struct ledger_term){ code, sum };
}

void ledger_add(struct ledger *l, struct ledger_row *row, int32_t code,
	int128 sum)
{
	uint32_t from =
		row->n && row->terms[row->n - 1].code < code ? row->n : 0;
	ledger_add_at(l, row, ledger_place(row, from, code), code, sum);
}

int128 ledger_sum(const struct ledger_row *row, int32_t code)
{
	uint32_t at = ledger_place(row, 0, code);
	return at < row->n && row->terms[at].code == code ? row->terms[at].sum
							  : 0;
}

/* Reads terms into an empty row, in the order of the bytes. */
static bool ledger_read_new(struct ledger *l, struct ledger_row *row,
	struct int128_reader *b, uint32_t n, int sign)
{
	int64_t code = -1;
	row->terms = arena_array(l->arena, struct ledger_term, n);
	row->room = n;
	for (; row->n < n; row->n++) {
		uint32_t more;
		int128 sum = int128_next_tagged(b, &more);
		code += more;
		if (b->bad || code > TERMS_MAX)
			return false;
		row->terms[row->n] = (struct ledger_term){ (int32_t)code,
			sign < 0 ? -sum : sum };
	}
	return true;
}

static bool ledger_read_row(struct ledger *l, struct ledger_row *row,
	struct int128_reader *b, int sign)
{
	int128 n = int128_next(b);
	int64_t code = -1;
	uint32_t at = 0;
	if (b->bad || n < 0 || n > TERMS_MAX)
		return false;
	if (!row->n)
		return ledger_read_new(l, row, b, (uint32_t)n, sign);
	for (; n; n--) {
		uint32_t more;
		int128 sum = int128_next_tagged(b, &more);
		code += more;
		if (b->bad || code > TERMS_MAX)
			return false;
		at = ledger_place(row, at, (int32_t)code);
		ledger_add_at(l, row, at, (int32_t)code, sign < 0 ? -sum : sum);
	}
	return true;
}

bool ledger_read(struct ledger *l, struct int128_reader *b, int sign)
{
	int128 n = int128_next(b), id = 0;
	for (; n > 0 && !b->bad; n--) {
		id += int128_next(b);
		if (b->bad || id < 0 || id > INT64_MAX ||
			!ledger_read_row(l, ledger_row(l, (int64_t)id), b,
				sign))
			return false;
	}
	return !b->bad;
}

/* Skips a row's terms; returns the sum of one code. */
static int128 ledger_skip_row(struct int128_reader *b, int32_t code)
{
	int128 n = int128_next(b), found = 0;
	int64_t at = -1;
	for (; n > 0 && !b->bad; n--) {
		uint32_t more;
		int128 sum = int128_next_tagged(b, &more);
		at += more;
		if (at == code)
			found = sum;
	}
	return found;
}

bool ledger_each(struct int128_reader *b, int32_t code,
	void (*each)(void *ctx, int64_t id, int128 sum), void *ctx)
{
	int128 n = int128_next(b), id = 0;
	for (; n > 0 && !b->bad; n--) {
		id += int128_next(b);
		int128 sum = ledger_skip_row(b, code);
		if (!b->bad)
			each(ctx, (int64_t)id, sum);
	}
	return !b->bad;
}

static uint32_t ledger_terms_left(const struct ledger_row *row)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < row->n; i++)
		n += row->terms[i].sum != 0;
	return n;
}

static void ledger_write_row(const struct ledger_row *row, struct buf *b)
{
	int32_t before = -1;
	int128_put(b, ledger_terms_left(row));
	for (uint32_t i = 0; i < row->n; i++) {
		const struct ledger_term *t = &row->terms[i];
		if (t->sum == 0)
			continue;
		int128_put_tagged(b, (uint32_t)(t->code - before), t->sum);
		before = t->code;
	}
}

void ledger_write(const struct ledger *l, struct buf *b)
{
	uint32_t rows = 0;
	int64_t before = 0;
	for (uint32_t i = 0; i < l->n; i++)
		rows += ledger_terms_left(&l->rows[i]) > 0;
	int128_put(b, rows);
	for (uint32_t i = 0; i < l->n; i++) {
		if (!ledger_terms_left(&l->rows[i]))
			continue;
		int128_put(b, l->rows[i].id - before);
		before = l->rows[i].id;
		ledger_write_row(&l->rows[i], b);
	}
}

bool ledger_is_empty(const struct ledger *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (ledger_terms_left(&l->rows[i]))
			return false;
	return true;
}
