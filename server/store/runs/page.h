/* page.h - a page of a run's rows from `offset`, limited by the number of rows
 * and by the bytes of their text. */
#pragma once
#include "query.h"
#include "sql.h"

/* Selects `columns` of `from`, then `on_page`: the number of rows that the page
 * would have without the limit on bytes. `bytes` is the size of a row's text.
 * The parameters are those of page_params(), then those of `from`. */
#define PAGE_OF(columns, bytes, from, order)                                 \
	"SELECT " columns ", on_page FROM ("                                 \
	"SELECT " columns ", count(*) OVER () AS on_page, "                  \
	"row_number() OVER along AS nth, sum(" bytes ") OVER along AS text " \
	"FROM (SELECT " columns " " from " ORDER BY " order " "              \
	"OFFSET $1 LIMIT $2) page "                                          \
	"WINDOW along AS (ORDER BY " order " ROWS UNBOUNDED PRECEDING)) "    \
	"lines WHERE $3 IS NULL OR text <= $3 OR nth = 1 ORDER BY " order

/* `limit` 0: all rows. */
static inline void page_params(struct sql_params *p, int64_t offset, int limit)
{
	sql_int8(p, offset);
	sql_int8_known(p, limit ? limit + INT64_C(1) : -1);
	sql_int8_known(p, limit ? QUERY_PAGE_BYTES : -1);
}

/* The number of rows that are on the page. */
static inline uint32_t page_lines(const struct result *r, int limit)
{
	return (uint32_t)(limit && r->n > limit ? limit : r->n);
}
