/* query_layers.c - the layers of a run in short; kernels by name. */
#include "read_breakdown.h"

bool query_layers_short(struct db *db, struct arena *a, int64_t run,
	struct layers_short *out, bool *there, struct err *e)
{
	static const char sql[] = "SELECT detector, confidence, layers "
				  "FROM run_breakdown "
				  "WHERE run_id = $1";
	struct result r;
	if (!read_of_run(db, sql, run, &r, e))
		return false;
	*there = result_next(&r);
	if (*there) {
		out->detector = (enum layer_detector)read_word(&r, a,
			breakdown_word_layers, LAYER_DETECTORS);
		out->confidence = result_float8(&r, 0);
		out->layers = (uint32_t)result_int4(&r, 0);
	}
	result_release(&r);
	return true;
}

bool query_kernel_ids(struct db *db, struct breakdown_kernel *kernels,
	uint32_t n, struct err *e)
{
	static const char sql[] =
		"SELECT coalesce(k.id, -1) "
		"FROM unnest($1::text[]) WITH ORDINALITY AS n (name, i) "
		"LEFT JOIN kernel k "
		"ON k.sha256 = sha256(convert_to(n.name, 'UTF8')) "
		"ORDER BY n.i";
	struct sql_array names;
	struct sql_params p = { 0 };
	struct result r;
	sql_array_init(&names, SQL_TEXT);
	for (uint32_t i = 0; i < n; i++)
		sql_array_text(&names, kernels[i].name);
	sql_array(&p, &names);
	bool ok = sql_hot(db, sql, &p, &r, e);
	sql_array_release(&names);
	if (!ok)
		return false;
	for (uint32_t i = 0; result_next(&r); i++)
		kernels[i].id = result_int8(&r, -1);
	result_release(&r);
	return true;
}
