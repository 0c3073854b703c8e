/* view_measure.c - results of benchmarks as JSON. */
#include "view.h"
#include "measure.h"
#include "run_measures.h"

#define ROWS "measure.def"
#include "row_functions.h"

json_t *view_measures(struct arena *a, const struct run_measure *rows,
	uint32_t n)
{
	static const char *const words[] = { [MEASURE_NEITHER] = NULL,
		[MEASURE_LOWER] = "lower",
		[MEASURE_HIGHER] = "higher" };
	json_t *items = json_array();

	for (uint32_t i = 0; i < n; i++) {
		enum measure_better better;
		const char *meaning =
			measure_meaning(a, rows[i].is.name, &better);
		view_append(items,
			row_measure(&rows[i], meaning, words[better]));
	}
	return view_list(items, NULL);
}
