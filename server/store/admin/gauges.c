/* gauges.c - reads all gauges with one statement, one column per gauge. */
#include "gauges.h"
#include "sql.h"

static const struct gauge gauges[] = {
#define GAUGE(name, label, help, sql) { #name, label, help, 0 },
#include "gauges.def"
#undef GAUGE
};

enum { GAUGES = sizeof gauges / sizeof *gauges };

bool gauges_read(struct db *db, struct arena *a, struct gauge **list, int *n,
	struct err *e)
{
	static const char sql[] = "SELECT "
#define GAUGE(name, label, help, sql) "(" sql ")::float8, "
#include "gauges.def"
#undef GAUGE
				  "NULL::float8";
	struct result r;
	if (!sql_run(db, sql, NULL, &r, e))
		return false;
	*n = GAUGES;
	*list = arena_array(a, struct gauge, GAUGES);
	result_next(&r);
	for (int i = 0; i < GAUGES; i++) {
		(*list)[i] = gauges[i];
		(*list)[i].value = result_float8(&r, (double)NAN);
	}
	result_release(&r);
	return true;
}
