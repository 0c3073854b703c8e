/* kst_rows.c - the list of places, then each column at its own. */
#include "kst_rows.h"
#include <string.h>

struct columns {
	struct kst_place place[UINT8_MAX];
	uint32_t n;
};

/* The list of columns; behind it, or NULL where it is none. What it says of
 * lengths adds up to the rest of the payload. */
static const uint8_t *places(struct columns *c, const uint8_t *at,
	const uint8_t *end)
{
	uint64_t sum = 0, len;
	if (at == end)
		return NULL;
	c->n = *at++;
	for (uint32_t i = 0; i < c->n; i++) {
		if (end - at < 4)
			return NULL;
		struct kst_place *p = &c->place[i];
		*p = (struct kst_place){ at[0], at[1], at[2], at[3], 0 };
		at = kst_varint_get(at + 4, end, &len);
		if (!at || len > KST_RAW_MAX)
			return NULL;
		p->len = (uint32_t)len;
		sum += len;
	}
	return sum == (uint64_t)(end - at) ? at : NULL;
}

/* What a column that the chunk lacks has in every row. */
static void absent(struct kst_rows *r, uint32_t column)
{
	const struct kst_column_info *c = &r->kind->columns[column];
	uint64_t *cells = r->cells + (size_t)column * r->n;
	uint64_t bits = kst_absent(c);
	for (uint32_t i = 0; i < r->n; i++)
		cells[i] = bits;
}

/* Reads one column. `seen` has a bit for each that was read before. */
static bool column(struct kst_rows *r, const struct kst_place *p,
	const uint8_t *at, uint32_t seen, struct kst_like *like)
{
	bool looks = p->expected == KST_AFTER || p->expected == KST_LIKE;
	const uint64_t *other = NULL;
	if (p->expected >= KST_EXPECTED_END || seen & 1u << p->column ||
		r->kind->columns[p->column].type == KST_NAME)
		return false;
	if (looks) {
		if (p->other >= r->kind->n || !(seen & 1u << p->other))
			return false;
		other = r->cells + (size_t)p->other * r->n;
	}
	return kst_cells_get(r->cells + (size_t)p->column * r->n, other, r->n,
		p, at, like);
}

bool kst_rows_get(struct kst_rows *r, const uint8_t *at, size_t len,
	struct kst_like *like)
{
	struct columns c;
	uint32_t seen = 0;
	r->unknown = 0;
	at = places(&c, at, at + len);
	if (!at)
		return false;
	for (uint32_t i = 0; i < c.n; at += c.place[i].len, i++) {
		if (c.place[i].column >= r->kind->n) {
			r->unknown++;
			continue;
		}
		if (!column(r, &c.place[i], at, seen, like))
			return false;
		seen |= 1u << c.place[i].column;
	}
	for (uint32_t i = 0; i < r->kind->n; i++)
		if (!(seen & 1u << i))
			absent(r, i);
	return true;
}
