/* rows.c - which events are kept. */
#include "rows.h"

bool rows_init(struct rows *r, struct trace *t)
{
	*r = (struct rows){ .trace = t, .text = { .trace = t } };
	return pids_init(&r->pids, t);
}

static void note(struct rows *r, enum note_code code, const struct span *s)
{
	note_add(&r->trace->notes, code, 1, s->at ? s->at : "(unnamed)",
		s->at ? s->len : strlen("(unnamed)"));
}

void rows_bad(struct rows *r, const char *what, size_t len)
{
	r->events++;
	note_add(&r->trace->notes, NOTE_bad_event, 1, what, len);
}

/* Durations of one kind of row are summed up by those who read them. */
static int64_t *total(struct rows *r, enum category c)
{
	if (c == CATEGORY_SET)
		c = CATEGORY_COPY;
	if (c == CATEGORY_GPU_ANNOTATION || c == CATEGORY_PYTHON)
		c = CATEGORY_ANNOTATION;
	return &r->total_ns[c];
}

/* Whether an event has times that a trace can hold; notes it where not. */
static bool timely(struct rows *r, const struct event *e)
{
	enum note_code code = NOTE_CODES;
	int64_t *sum = total(r, e->category);
	if (e->ts.kind == NUM_HUGE || e->dur.kind == NUM_HUGE)
		code = NOTE_huge_time;
	else if (e->ts.kind != NUM_OK || e->dur.kind != NUM_OK)
		code = NOTE_no_duration;
	else if (e->dur.value < 0)
		code = NOTE_negative_time;
	else if (e->dur.value > TRACE_TIME_MAX_NS - *sum)
		code = NOTE_huge_time;
	if (code == NOTE_CODES) {
		*sum += e->dur.value;
		return true;
	}
	note(r, code, &e->name);
	return false;
}

/* Of metadata only the names of processes are of use. */
static bool metadata(struct rows *r, const struct event *e)
{
	static const char what[] = "process_name";
	uint32_t pid, name;
	if (e->name.len != sizeof what - 1 || !e->label.at ||
		memcmp(e->name.at, what, e->name.len) != 0)
		return true;
	struct span pid_text =
		e->pid.kind == NUM_OK ? (struct span){ 0 } : e->pid_text;
	return rows_text(r, &pid_text, &pid) &&
	       rows_text(r, &e->label, &name) &&
	       pids_name(&r->pids, e, pid, name);
}

/* Phases of the Chrome trace format besides X, M and C: flows and instants say
 * nothing that is kept; begin and end are not paired up. */
static bool other_phase(struct rows *r, const struct event *e)
{
	if (e->ph && strchr("iIstfSTpFPNODVvRc()=,an", e->ph))
		return true;
	note(r,
		e->ph && strchr("BEbe", e->ph) ? NOTE_category_unknown
					       : NOTE_bad_event,
		e->category_text.at ? &e->category_text : &e->name);
	return true;
}

/* The index of an event's pid; NAMES_NONE where the arena is full, PIDS_MAX
 * where the event was noted instead. */
static uint32_t pid_of(struct rows *r, const struct event *e)
{
	uint32_t text_pid = 0;
	if (e->pid.kind != NUM_OK && !rows_text(r, &e->pid_text, &text_pid))
		return NAMES_NONE;
	uint32_t pid = pids_of(&r->pids, e, text_pid);
	if (pid == PIDS_MAX)
		note(r, NOTE_bad_event, &e->name);
	return pid;
}

static bool counter(struct rows *r, const struct event *e)
{
	if (e->ts.kind != NUM_OK) {
		note(r,
			e->ts.kind == NUM_HUGE ? NOTE_huge_time
					       : NOTE_no_duration,
			&e->name);
		return true;
	}
	uint32_t pid = pid_of(r, e);
	if (pid >= PIDS_MAX)
		return pid == PIDS_MAX;
	return rows_counter(r, e, pid);
}

bool rows_event(struct rows *r, const struct event *e)
{
	r->events++;
	if (e->ph == 'M')
		return metadata(r, e);
	if (e->ph == 'C')
		return counter(r, e);
	if (e->ph != 'X')
		return other_phase(r, e);
	if (e->category == CATEGORY_DULL)
		return true;
	if (e->category == CATEGORY_NONE) {
		note(r, NOTE_category_unknown, &e->category_text);
		return true;
	}
	if (!timely(r, e))
		return true;
	uint32_t pid = pid_of(r, e);
	if (pid >= PIDS_MAX)
		return pid == PIDS_MAX;
	return rows_add(r, e, pid);
}
