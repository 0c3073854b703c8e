/* api_captures.c - a run as a file: as it is stored, and as a Chrome trace. */
#include "listing.h"
#include "pieces.h"
#include "timeline.h"
#include <string.h>

static json_t *streamed(struct call *c, struct api_stream stream,
	const char *type, const char *ending)
{
	c->stream = stream;
	c->text_type = type;
	snprintf(c->disposition, sizeof c->disposition,
		"attachment; filename=\"run-%lld%s\"", (long long)c->id,
		ending);
	return NULL;
}

json_t *capture_get(struct call *c, struct err *e)
{
	struct run_row run;
	struct pieces *p;
	if (!listing_run(c, &run, e) || !(p = pieces_new(c, e)))
		return NULL;
	return streamed(c, (struct api_stream){ pieces_read, pieces_free, p },
		"application/vnd.kernsift.capture", ".kst");
}

json_t *timeline_get(struct call *c, struct err *e)
{
	struct profile_device *devices;
	struct timeline *t;
	struct run_row run;
	uint32_t n;
	if (!listing_run(c, &run, e))
		return NULL;
	if (strcmp(run.content, "launches") != 0) {
		err_set(e, ERR_NOT_FOUND,
			"run %lld has no timeline: somebody's %s are all that "
			"is known of it",
			(long long)c->id, run.content);
		return NULL;
	}
	if (!query_run_devices(c->db, &c->arena, c->id, &devices, &n, e) ||
		!(t = timeline_new(c, &run, devices, n, e)))
		return NULL;
	return streamed(c,
		(struct api_stream){ timeline_next, timeline_free, t },
		"application/json", ".trace.json");
}
