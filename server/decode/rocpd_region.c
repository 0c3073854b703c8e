/* rocpd_region.c - what ran on the host, and the events that tie all together.
 *
 * Regions are told apart by the names of their calls: every library's begin
 * alike, and the category that an event may have says no more. */
#include "rocpd.h"

enum { ID, STACK, PARENT, EXTDATA, EVENT_COLUMNS };
static const struct sqlite_column events[] = {
	{ "id", true },
	{ "stack_id", false },
	{ "parent_stack_id", false },
	{ "extdata", false },
};

static const char *message_field(const struct fields *f, struct scan *s,
	const char *p, uint32_t k, void *to)
{
	(void)f;
	return k == ROCPROF_MESSAGE ? scan_text(s, p, to)
				    : scan_skip(s, p, true);
}

/* {"message": "…"}, the text that a marker was given. */
static bool message(struct rocpd *r, struct sqlite_rows *rows, int64_t event)
{
	struct fields f = { &r->words, message_field };
	struct span text = { 0 };
	size_t len;
	bool ok = true;
	char *at = rocpd_json(r, rows, EXTDATA, &len);
	struct scan s = { .end = at ? at + len : NULL };
	if (at && fields_read(&f, &s, at, &text) && text.at) {
		uint32_t id = text_id(&r->text, &text);
		ok = id != NAMES_NONE &&
		     roc_map_put(&r->map[ROCPD_MESSAGES], event, id);
	}
	arena_drop(r->trace->arena, at);
	return ok;
}

static bool event(struct rocpd *r, struct sqlite_rows *rows, struct err *e)
{
	int64_t id = sqlite_int_or(rows, ID, -1);
	int64_t stack = sqlite_int_or(rows, STACK, -1);
	int64_t parent = sqlite_int_or(rows, PARENT, -1);
	(void)e;
	return roc_map_put(&r->map[ROCPD_STACKS], id, stack) &&
	       (parent <= 0 || parent == stack ||
		       roc_map_put(&r->map[ROCPD_PARENTS], id, parent)) &&
	       message(r, rows, id);
}

bool rocpd_events(struct rocpd *r, struct err *e)
{
	return rocpd_each(r, "rocpd_event", events, EVENT_COLUMNS, event, e) &&
	       rocpd_sort(r, e);
}

enum { NAME = ROCPD_PLACES, REGION_COLUMNS };
static const struct sqlite_column regions[] = { ROCPD_PLACE,
	{ "name_id", true } };

static bool begins(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

static bool other(struct rocpd *r, const char *name)
{
	note_add(&r->trace->notes, NOTE_record_kind, 1, name, strlen(name));
	return true;
}

/* HSA's calls are not kept, but whose they are is: a kernel may be told to be
 * one's that HIP made. */
static bool hsa(struct rocpd *r, int64_t event, const char *name)
{
	int64_t stack, parent;
	other(r, name);
	return !rocpd_find(r, ROCPD_STACKS, event, &stack) ||
	       !rocpd_find(r, ROCPD_PARENTS, event, &parent) ||
	       roc_map_put(&r->map[ROCPD_CALLERS], stack, parent);
}

static uint32_t thread_of(struct rocpd *r, const struct rocpd_place *p)
{
	int64_t tid = p->at.tid;
	rocpd_find(r, ROCPD_THREADS, p->at.tid, &tid);
	return roc_thread(r->trace, tid);
}

static bool call(struct rocpd *r, const struct rocpd_place *p, uint32_t name)
{
	uint32_t thread = thread_of(r, p);
	r->used++;
	return thread != NAMES_NONE &&
	       trace_call_add(r->trace, &(struct call_row){
						.process = p->process,
						.start_ns = p->start_ns,
						.dur_ns = p->dur_ns,
						.name = name,
						.thread = thread,
						.correlation = p->correlation,
						.external_id = -1,
					});
}

static bool range(struct rocpd *r, const struct rocpd_place *p, uint32_t name,
	enum roc_marker marker)
{
	struct names *ns = &r->trace->names;
	uint32_t thread = thread_of(r, p);
	bool rccl = begins(names_text(ns, name), "nccl");
	uint32_t domain = names_put(ns, rccl ? "rccl" : "roctx", rccl ? 4 : 5);
	int64_t text = name;
	rocpd_find(r, ROCPD_MESSAGES, p->event, &text);
	r->used++;
	return thread != NAMES_NONE && domain != NAMES_NONE &&
	       trace_range_add(r->trace,
		       &(struct range_row){
			       .process = p->process,
			       .start_ns = p->start_ns,
			       .dur_ns = p->dur_ns,
			       .name = (uint32_t)text,
			       .kind = marker == ROC_LOOSE ? RANGE_LOOSE
							   : RANGE_ANNOTATION,
			       .thread = thread,
			       .domain = domain,
			       .id = -1,
			       .parent = -1,
		       });
}

static bool region(struct rocpd *r, struct sqlite_rows *rows, struct err *e)
{
	int64_t string = sqlite_int_or(rows, NAME, -1);
	int64_t event = sqlite_int_or(rows, ROCPD_EVENT, -1), text;
	struct rocpd_place p;
	uint32_t id;
	r->records++;
	if (!sqlite_names_of(&r->strings, string, &id, e))
		return false;
	if (!id)
		id = roc_numbered(r->trace, "region named", string);
	if (id == NAMES_NONE)
		return false;
	const char *name = names_text(&r->trace->names, id);
	enum roc_marker marker = roc_marker_of(name);
	bool said = rocpd_find(r, ROCPD_MESSAGES, event, &text) ||
		    begins(name, "roctx") || begins(name, "nccl");
	if (begins(name, "hsa_"))
		return hsa(r, event, name);
	if (marker == ROC_MARK ||
		(!said && !begins(name, "hip") && !begins(name, "__hip") &&
			!begins(name, "region named ")))
		return other(r, name);
	if (!rocpd_place(r, rows, said ? &r->range_times : &r->call_times, name,
		    &p))
		return false;
	if (!p.timely)
		return true;
	return said ? range(r, &p, id, marker) : call(r, &p, id);
}

bool rocpd_regions(struct rocpd *r, struct err *e)
{
	return rocpd_each(r, "rocpd_region", regions, REGION_COLUMNS, region,
		       e) &&
	       rocpd_sort(r, e);
}
