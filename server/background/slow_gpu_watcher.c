/* slow_gpu_watcher.c - searches projects with new runs for slow GPUs, and selects
 * those that were not reported before. */
#include "trend_watcher.h"
#include "gpu_fleet.h"
#include "slow_gpu_log.h"
#include "url_encode.h"
#include "view.h"
#include <stdlib.h>
#include <string.h>

static const char *slow_gpu_watcher_url(struct arena *a, const char *project)
{
	struct buf b;
	buf_init(&b, 3 * strlen(project) + 64);
	buf_puts(&b, "/devices?project=");
	url_encode(&b, project, strlen(project));
	const char *out = arena_strndup(a, b.at, b.len);
	buf_release(&b);
	return out;
}

static const char *slow_gpu_watcher_body(struct arena *a, const char *project,
	const struct gpu_fleet_row *row)
{
	json_t *v = json_pack("{s:s, s:s, s:o, s:s}", "event", "slow_device",
		"project", project, "device", view_fleet_gpu(row), "url",
		slow_gpu_watcher_url(a, project));
	char *text = json_dumps(v, JSON_COMPACT | JSON_REAL_PRECISION(15));
	const char *kept = arena_strdup(a, text);
	free(text);
	json_decref(v);
	return kept;
}

static bool slow_gpu_watcher_look(struct db *db, struct arena *a,
	const struct slow_gpu_due *due, struct err *e)
{
	const struct fleet_filter f = { .project = due->project,
		.since = NO_MOMENT,
		.until = NO_MOMENT };
	struct gpu_fleet fleet;
	uint32_t n = 0;
	if (!gpu_fleet_from(db, a, &f, &fleet, e))
		return false;
	struct slow_gpu_record *records =
		arena_array(a, struct slow_gpu_record, fleet.n);
	for (uint32_t i = 0; i < fleet.n; i++) {
		const struct gpu_fleet_row *row = &fleet.rows[i];
		bool slow = row->is.verdict == SLOW_GPU_SLOW;
		if (slow || row->is.verdict == SLOW_GPU_NOT_SLOW)
			records[n++] = (struct slow_gpu_record){ row->gpu, slow,
				row->is.slowdown,
				slow ? slow_gpu_watcher_body(a, due->project,
					       row)
				     : NULL };
	}
	return slow_gpu_log_record(db, due, records, n, fleet.runs, e);
}

bool slow_gpu_watcher_step(struct db *db, struct slow_gpu_place *after,
	bool *more, struct err *e)
{
	struct arena a = { 0 };
	struct slow_gpu_due due;
	*more = false;
	bool ok = slow_gpu_log_due(db, &a, after->begun ? after->project : NULL,
		&due, e);
	if (ok && due.project) {
		after->begun = true;
		snprintf(after->project, sizeof after->project, "%s",
			due.project);
		*more = true;
		ok = slow_gpu_watcher_look(db, &a, &due, e);
	}
	arena_release(&a);
	return ok;
}
