/* query_exchange.c - reads the bytes that the all-to-alls of runs exchanged with
 * each rank. */
#include "column.h"
#include "packed.h"
#include "profile_word.h"
#include "query_compared.h"
#include "sql.h"

static bool query_exchange_numbers(struct result *r, struct arena *a,
	uint32_t n, int64_t **to)
{
	size_t len;
	const void *bytes = result_bytes(r, &len);

	*to = NULL;
	if (!bytes)
		return true;
	if (n > EXCHANGE_PEERS_MAX)
		return false;
	*to = arena_array(a, int64_t, n);
	return packed_read(bytes, len, *to, n);
}

/* Reads a row. False if it does not fit the collectives of the run, which were
 * read before. */
static bool query_exchange_read(struct result *r, struct arena *a,
	const struct compared_run *run, struct peer_exchange *x)
{
	const struct collectives *cs = &run->collectives;

	x->line = (uint32_t)result_int4(r, 0);
	x->calls = result_int8(r, 0);
	x->known = result_int8(r, 0);
	const char *reason = result_text(r, a);
	x->fault = EXCHANGE_FINE;
	if (reason)
		x->fault = (enum exchange_fault)column_word_of(reason,
			profile_word_exchange, EXCHANGE_FAULTS);
	x->peers = (uint32_t)result_int4(r, 0);
	return query_exchange_numbers(r, a, x->peers, &x->sent) &&
	       query_exchange_numbers(r, a, x->peers, &x->received) &&
	       !x->sent == !x->received && x->line < cs->n &&
	       cs->rows[x->line].call.kind == COLLECTIVE_ALL_TO_ALL;
}

/* Rows are sorted by run, and a run's index among the rows is that of its
 * first. */
static bool query_exchange_deal(struct result *r, struct arena *a,
	struct compared_run *runs, uint32_t n, struct err *e)
{
	struct peer_exchange *all =
		arena_array(a, struct peer_exchange, (size_t)r->n);

	for (int i = 0; result_next(r); i++) {
		int64_t id = result_int8(r, 0);
		uint32_t k = 0;
		while (k < n && runs[k].id != id)
			k++;
		if (k == n || !query_exchange_read(r, a, &runs[k], &all[i]))
			return err_set(e, ERR_CONFLICT,
				"run %lld was analyzed again in this moment "
				"(try again)",
				(long long)id);
		if (!runs[k].exchanges.n++)
			runs[k].exchanges.rows = &all[i];
	}
	return true;
}

bool query_exchanges(struct db *db, struct arena *a, struct compared_run *runs,
	uint32_t n, struct err *e)
{
	static const char sql[] =
		"SELECT run_id, collective, calls, known_calls, reason, peers, "
		"sent, received "
		"FROM run_exchange "
		"WHERE run_id = ANY ($1) "
		"ORDER BY run_id, rank";
	struct sql_params p = { 0 };
	struct sql_array ids;
	struct result r;
	sql_array_init(&ids, SQL_INT8);
	for (uint32_t i = 0; i < n; i++)
		sql_array_int8(&ids, runs[i].id);
	sql_array(&p, &ids);
	bool ok = sql_hot(db, sql, &p, &r, e);
	sql_array_release(&ids);
	if (!ok)
		return false;
	ok = query_exchange_deal(&r, a, runs, n, e);
	result_release(&r);
	return ok;
}
