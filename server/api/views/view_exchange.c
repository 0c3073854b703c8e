/* view_exchange.c - the maps of a job's all-to-alls as JSON and as a table. */
#include "collective.h"
#include "exchange_map.h"
#include "kernel_name.h"
#include "view.h"
#include <math.h>
#include <string.h>

#define ROWS "exchanges.def"
#include "row_functions.h"

/* A mean of waiting is rounded to a tenth of a nanosecond, as other times are. */
static double view_exchange_rounded(const struct exchange_map *m, double v)
{
	return m->bytes ? v : round(v * 10) / 10;
}

static double view_exchange_cell(const struct exchange_map *m, uint32_t row,
	uint32_t column)
{
	return view_exchange_rounded(m,
		m->cells[(size_t)row * m->columns_n + column]);
}

static json_t *view_exchange_cells(const struct exchange_map *m)
{
	json_t *rows = json_array();
	for (uint32_t i = 0; i < m->rows_n; i++) {
		json_t *row = json_array();
		for (uint32_t k = 0; k < m->columns_n; k++)
			view_append(row,
				view_real(view_exchange_cell(m, i, k)));
		view_append(rows, row);
	}
	return rows;
}

static json_t *view_exchange(struct arena *a, const struct ranks *r,
	const struct exchange_map *m)
{
	json_t *ranks = json_array(), *columns = json_array();
	for (uint32_t i = 0; i < m->rows_n; i++)
		view_append(ranks,
			row_exchange_rank(&r->ranks[m->rows[i]], m, i));
	for (uint32_t k = 0; k < m->columns_n; k++)
		view_append(columns, row_exchange_column(&m->columns[k], m));
	return row_exchange_map(a, m, ranks, columns, view_exchange_cells(m));
}

json_t *view_exchanges(struct arena *a, int64_t job, const struct ranks *r,
	const struct exchange_maps *maps)
{
	json_t *items = json_array();
	for (uint32_t i = 0; i < maps->n; i++)
		view_append(items, view_exchange(a, r, &maps->rows[i]));
	return row_job_exchanges(job, maps, items);
}

static const struct column view_exchange_columns[] = { { "Group", false },
	{ "Kind", false }, { "Rank", true }, { "Run", true },
	{ "To Rank", true }, { "To Position", true },
	{ "First Collective", true }, { "Collectives", true },
	{ "Bytes", true }, { "Waiting (ns)", true } };

static const char *view_exchange_number(struct arena *a, bool is, int64_t v)
{
	return is ? table_whole(a, v) : "";
}

const struct table *view_exchanges_table(struct arena *a, const struct ranks *r,
	const struct exchange_maps *maps)
{
	const char **at;
	size_t n = 0;
	for (uint32_t i = 0; i < maps->n; i++)
		n += (size_t)maps->rows[i].rows_n * maps->rows[i].columns_n;
	struct table *table = table_new(a, TABLE_COLUMNS(view_exchange_columns),
		(uint32_t)n, &at);
	for (uint32_t i = 0; i < maps->n; i++) {
		const struct exchange_map *m = &maps->rows[i];
		for (size_t k = 0; k < (size_t)m->rows_n * m->columns_n; k++) {
			uint32_t row = (uint32_t)(k / m->columns_n),
				 column = (uint32_t)(k % m->columns_n);
			const struct rank_line *l = &r->ranks[m->rows[row]];
			const struct exchange_column *c = &m->columns[column];
			const char *cell = table_real(a,
				view_exchange_cell(m, row, column));
			*at++ = m->group->name ? m->group->name : m->name;
			*at++ = collective_word(m->kind);
			*at++ = table_whole(a, l->rank);
			*at++ = table_whole(a, l->run);
			*at++ = view_exchange_number(a, m->bytes, c->rank);
			*at++ = view_exchange_number(a, m->bytes, c->from);
			*at++ = view_exchange_number(a, !m->bytes, c->from);
			*at++ = view_exchange_number(a, !m->bytes, c->n);
			*at++ = m->bytes ? cell : "";
			*at++ = m->bytes ? "" : cell;
		}
	}
	return table;
}
