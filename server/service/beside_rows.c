/* beside_rows.c - kernels of a line paired: by name, short name, operator. */
#include "beside_rows.h"
#include <string.h>

/* Of a run's rows in a line; of more, which only runs without layers have, all is
 * one row. */
enum { PAIRED_MOST = 400, NONE = UINT32_MAX };
enum { BY_NAME, BY_SHORT_NAME, BY_OPERATOR, WAYS };

struct pairing {
	const struct beside_run *runs;
	const struct breakdown_compare *b;
	uint32_t line, n;
	struct beside_entry *list;
	bool paired;
};

static const struct breakdown_row *row_of(const struct pairing *p, uint32_t s,
	uint32_t row)
{
	return &p->runs[s].is.breakdown.rows[row];
}

static const char *text_of(const struct pairing *p, uint32_t s, uint32_t row,
	int way)
{
	const struct breakdown_row *r = row_of(p, s, row);
	if (way == BY_OPERATOR)
		return r->operator_;
	if (r->kernel == ROW_NO_KERNEL)
		return r->operation;
	const struct breakdown_kernel *k = &p->runs[s].is.kernels[r->kernel];
	return way == BY_NAME ? k->name : k->short_name;
}

/* What the first run of an entry has there. */
static const char *entry_text(const struct pairing *p,
	const struct beside_entry *e, int way)
{
	for (uint32_t s = 0; s < p->b->sides_n; s++)
		if (e->row[s] != NONE)
			return text_of(p, s, e->row[s], way);
	return NULL;
}

static uint32_t alike(const struct pairing *p, uint32_t s, uint32_t row,
	int way)
{
	const char *text = text_of(p, s, row, way);
	for (uint32_t i = 0; text && i < p->n; i++) {
		const char *other = p->list[i].row[s] == NONE
					    ? entry_text(p, &p->list[i], way)
					    : NULL;
		if (other && strcmp(text, other) == 0)
			return i;
	}
	return NONE;
}

static uint32_t entry_with(const struct pairing *p, uint32_t s, uint32_t row)
{
	uint32_t i = 0;
	while (i < p->n && p->list[i].row[s] != row)
		i++;
	return i < p->n ? i : NONE;
}

/* Behind the row before it. */
static void insert(struct pairing *p, uint32_t s, uint32_t row, uint32_t before)
{
	uint32_t at = before == NONE ? 0 : entry_with(p, s, before) + 1;
	if (before == NONE && !p->paired)
		at = p->n;
	memmove(&p->list[at + 1], &p->list[at], (p->n - at) * sizeof *p->list);
	p->list[at] = (struct beside_entry){ .line = p->line };
	memset(p->list[at].row, 0xff, sizeof p->list[at].row);
	p->list[at].row[s] = row;
	p->n++;
}

static void add_side(struct pairing *p, uint32_t s)
{
	const struct breakdown_compare_cell *c = &p->b->lines[p->line].cells[s];
	for (int way = 0; way < WAYS && p->n; way++)
		for (uint32_t i = 0; i < c->rows_n; i++) {
			uint32_t at = entry_with(p, s, c->rows[i]) == NONE
					      ? alike(p, s, c->rows[i], way)
					      : NONE;
			if (at == NONE)
				continue;
			p->list[at].row[s] = c->rows[i];
			p->paired = true;
		}
	for (uint32_t i = 0; i < c->rows_n; i++)
		if (entry_with(p, s, c->rows[i]) == NONE)
			insert(p, s, c->rows[i], i ? c->rows[i - 1] : NONE);
}

uint32_t beside_entries_most(const struct breakdown_compare *b, uint32_t line)
{
	uint32_t n = 1;
	for (uint32_t s = 0; s < b->sides_n; s++)
		n += b->lines[line].cells[s].rows_n;
	return n;
}

uint32_t beside_entries(const struct beside_run *runs,
	const struct breakdown_compare *b, uint32_t line,
	struct beside_entry *out)
{
	struct pairing p = { runs, b, line, 0, out, false };
	uint32_t sides = 0;
	bool many = false;
	for (uint32_t s = 0; s < b->sides_n; s++) {
		sides += b->lines[line].cells[s].rows_n > 0;
		many |= b->lines[line].cells[s].rows_n > PAIRED_MOST;
	}
	for (uint32_t s = 0; !many && s < b->sides_n; s++)
		add_side(&p, s);
	if (!many && (p.paired || sides == 1))
		return p.n;
	*out = (struct beside_entry){ .line = line, .whole = true };
	return 1;
}
