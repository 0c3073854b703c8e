/* run_measures.h - the results of benchmarks that were attached to a run.
 *
 * They are facts: a rebuild keeps them. They are deleted with the run. */
#pragma once
#include "db.h"
#include "measure.h"

struct run_measure {
	int64_t run;
	struct measure is;
	const char
		*source; /* a word of measure_source.def; NULL: the run's own */
	const char *file; /* its name, valid UTF-8 */
	int64_t created;
};

/* The attached measures of runs, by run and name. If names_n > 0: those of the names,
 * and of the energy of the runs (sql/views/run_measure.sql), which has neither source
 * nor file. */
bool run_measures_list(struct db *db, struct arena *a, const int64_t *runs,
	uint32_t runs_n, const char *const *names, uint32_t names_n,
	struct run_measure **rows, uint32_t *n, struct err *e);

/* Attaches all measures of the list, or none. *existing: the run had all of them
 * already, with the same values. ERR_NOT_FOUND: there is no such run; ERR_CONFLICT:
 * the run has another value of a measure, or would have more than
 * MEASURES_MAX. */
bool run_measures_add(struct db *db, int64_t run, const struct measure_list *l,
	const char *file, bool *existing, struct err *e);

/* Deletes the measure of this name; all if it is NULL. *n: how many there were. */
bool run_measures_delete(struct db *db, int64_t run, const char *name,
	int64_t *n, struct err *e);
