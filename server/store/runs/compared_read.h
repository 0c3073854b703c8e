/* compared_read.h - the tables that runs are compared by, read for several runs
 * at once and dealt out to them. */
#pragma once
#include "compared.h"
#include "sql.h"

struct compared_read {
	struct db *db;
	struct arena *arena;
	struct sql_array ids; /* of the runs */
	struct compared_run *runs; /* each once */
	uint32_t n;
	uint32_t at; /* of the run whose row was read last */
	/* Of each run: where its packed numbers go, all of them in one piece. */
	struct compared_room {
		int64_t *at;
		int64_t left;
	} * rooms;
};

/* Whose row it is; the next column is its id. */
static inline struct compared_run *compared_run_of(struct compared_read *c,
	struct result *r)
{
	int64_t id = result_int8(r, 0);
	while (c->runs[c->at].id != id)
		c->at = (c->at + 1) % c->n;
	return &c->runs[c->at];
}

/* Row `i` of `all`, which are sorted by run, is the next one of its run. */
#define COMPARED_DEAL(rows, rows_n, all, i) \
	do {                                \
		if ((rows_n)++ == 0)        \
			(rows) = &(all)[i]; \
	} while (0)

/* The rows of all runs; $1 is their ids. */
static inline bool compared_rows(struct compared_read *c, const char *sql,
	struct result *r, struct err *e)
{
	struct sql_params p = { 0 };
	sql_array(&p, &c->ids);
	return sql_hot(c->db, sql, &p, r, e);
}

/* Places [from, until) of them; strata and works, whole. */
bool compared_cycles(struct compared_read *c, int64_t from, int64_t until,
	struct err *e);
bool compared_strata(struct compared_read *c, struct err *e);

/* Before anything else of a transaction: what follows sees one state. */
bool compared_snapshot(struct db *db, struct err *e);

/* Functions, counters, collectives. */
bool compared_patterns(struct compared_read *c, struct err *e);
