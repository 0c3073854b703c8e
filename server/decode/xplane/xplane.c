/* xplane.c - decodes the XSpace of JAX, XLA and TensorFlow (xplane.pb) */
#include "xplane.h"
#include "proto.h"
#include "finish.h"
#include "format.h"
#include <stdlib.h>

/* Numbers of the fields in xplane.proto. */
enum { SPACE_PLANE = 1, SPACE_HOSTNAME = 4 };
enum {
	PLANE_ID = 1,
	PLANE_NAME,
	PLANE_LINE,
	PLANE_EVENT_TABLE,
	PLANE_STAT_TABLE,
	PLANE_STAT,
};
enum {
	LINE_ID = 1,
	LINE_NAME = 2,
	LINE_START_NS = 3,
	LINE_EVENT = 4,
	LINE_DISPLAY_NAME = 11,
};
enum {
	EVENT_METADATA = 1,
	EVENT_OFFSET_PS,
	EVENT_DURATION_PS,
	EVENT_STAT,
	EVENT_OCCURRENCES,
};
enum {
	STAT_METADATA = 1,
	STAT_DOUBLE,
	STAT_UINT,
	STAT_INT,
	STAT_TEXT,
	STAT_BYTES,
	STAT_REF,
};
enum { ENTRY_KEY = 1, ENTRY_VALUE };
enum { META_ID = 1, META_NAME = 2, META_DISPLAY = 4, META_STAT = 5 };

/* Reads a statistic, whose message is the current field. */
static struct xplane_stat xplane_read_stat(struct xplane *x)
{
	struct proto *p = &x->proto;
	struct xplane_stat s = { .kind = XPLANE_NONE };
	if (!proto_enter(p))
		return s;
	while (proto_next(p)) {
		switch (p->field) {
		case STAT_METADATA:
			s.of = xplane_number(x);
			break;
		case STAT_UINT:
		case STAT_INT:
			s.value = xplane_number(x);
			s.kind = XPLANE_NUMBER;
			break;
		case STAT_TEXT:
			s.value = xplane_text(x);
			s.kind = XPLANE_TEXT;
			break;
		case STAT_REF:
			s.value = xplane_number(x);
			s.kind = XPLANE_REF;
			break;
		case STAT_BYTES:
			if (x->hlo.program >= 0)
				xplane_hlo_read(x, x->hlo.program);
			break;
		default:
			break;
		}
	}
	proto_leave(p);
	return s;
}

static void xplane_add_stat(struct xplane *x)
{
	struct xplane_stat s = xplane_read_stat(x);
	if (s.kind == XPLANE_NONE)
		return;
	if (!XPLANE_ROOM(x, x->plane.stats))
		xplane_full(x);
	else
		x->plane.stats.at[x->plane.stats.n++] = s;
}

/* Statistics of the plane itself can come between those of its tables. */
static void xplane_add_own(struct xplane *x)
{
	struct xplane_stat s = xplane_read_stat(x);
	if (!XPLANE_ROOM(x, x->plane.own))
		xplane_full(x);
	else
		x->plane.own.at[x->plane.own.n++] = s;
}

static void xplane_read_event(struct xplane *x)
{
	struct proto *p = &x->proto;
	struct xplane_event v = { .stats.from = x->plane.stats.n };
	int64_t bad = p->bad;
	if (!proto_enter(p))
		return;
	while (proto_next(p)) {
		switch (p->field) {
		case EVENT_METADATA:
			v.metadata = xplane_number(x);
			break;
		case EVENT_OFFSET_PS:
			v.offset_ps = xplane_number(x);
			break;
		case EVENT_DURATION_PS:
			v.dur_ps = xplane_number(x);
			break;
		case EVENT_STAT:
			xplane_add_stat(x);
			break;
		case EVENT_OCCURRENCES:
			v.summed = true;
			break;
		default:
			break;
		}
	}
	proto_leave(p);
	if (p->cut || p->bad > bad)
		return; /* its time or its name may be missing */
	v.stats.to = x->plane.stats.n;
	if (!XPLANE_ROOM(x, x->plane.events))
		xplane_full(x);
	else
		x->plane.events.at[x->plane.events.n++] = v;
}

static void xplane_read_line(struct xplane *x)
{
	struct proto *p = &x->proto;
	struct xplane_line l = { .events.from = x->plane.events.n };
	if (!proto_enter(p))
		return;
	while (proto_next(p)) {
		switch (p->field) {
		case LINE_ID:
			l.id = xplane_number(x);
			break;
		case LINE_NAME:
			l.name = xplane_text(x);
			break;
		case LINE_DISPLAY_NAME:
			l.name = l.name ? l.name : xplane_text(x);
			break;
		case LINE_START_NS:
			l.start_ns = xplane_number(x);
			break;
		case LINE_EVENT:
			xplane_read_event(x);
			break;
		default:
			break;
		}
	}
	proto_leave(p);
	l.events.to = x->plane.events.n;
	if (!XPLANE_ROOM(x, x->plane.lines))
		xplane_full(x);
	else
		x->plane.lines.at[x->plane.lines.n++] = l;
}

/* Whether the entries in the table of events are HLO modules, which have their
 * text as a statistic. */
static bool xplane_has_modules(const struct xplane *x)
{
	return !strcmp(names_text(&x->trace->names, x->plane.name),
		"/host:metadata");
}

/* Reads the value of an entry in the table of events. */
static void xplane_read_meta(struct xplane *x, struct xplane_meta *m)
{
	struct proto *p = &x->proto;
	if (!proto_enter(p))
		return;
	while (proto_next(p)) {
		switch (p->field) {
		case META_ID:
			m->id = xplane_number(x);
			break;
		case META_NAME:
			m->name = xplane_text(x);
			break;
		case META_DISPLAY:
			m->display = xplane_text(x);
			break;
		case META_STAT:
			x->hlo.program = xplane_has_modules(x) ? m->id : -1;
			xplane_add_stat(x);
			x->hlo.program = -1;
			break;
		default:
			break;
		}
	}
	proto_leave(p);
}

static void xplane_read_meta_entry(struct xplane *x)
{
	struct proto *p = &x->proto;
	struct xplane_meta m = { .stats.from = x->plane.stats.n };
	if (!proto_enter(p))
		return;
	while (proto_next(p)) {
		if (p->field == ENTRY_KEY)
			m.id = xplane_number(x);
		else if (p->field == ENTRY_VALUE)
			xplane_read_meta(x, &m);
	}
	proto_leave(p);
	m.stats.to = x->plane.stats.n;
	if (!XPLANE_ROOM(x, x->plane.metas))
		xplane_full(x);
	else
		x->plane.metas.at[x->plane.metas.n++] = m;
}

static enum xplane_key xplane_key_of(const char *name)
{
	static const struct {
		const char *name;
		enum xplane_key key;
	} known[] = {
#define KEY(id, text) { text, XPLANE_##id },
#define ALIAS(id, text) { text, XPLANE_##id },
#include "xplane.def"
#undef KEY
#undef ALIAS
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(name, known[i].name))
			return known[i].key;
	return XPLANE_OTHER;
}

/* Reads an entry of the table of statistics. */
static void xplane_read_word(struct xplane *x)
{
	struct proto *p = &x->proto;
	struct xplane_word w = { 0 };
	if (!proto_enter(p))
		return;
	while (proto_next(p)) {
		if (p->field == ENTRY_KEY)
			w.id = xplane_number(x);
		if (p->field != ENTRY_VALUE || !proto_enter(p))
			continue;
		while (proto_next(p)) {
			if (p->field == META_ID)
				w.id = xplane_number(x);
			else if (p->field == META_NAME)
				w.name = xplane_text(x);
		}
		proto_leave(p);
	}
	proto_leave(p);
	w.key = xplane_key_of(names_text(&x->trace->names, w.name));
	if (!XPLANE_ROOM(x, x->plane.words))
		xplane_full(x);
	else
		x->plane.words.at[x->plane.words.n++] = w;
}

static int xplane_by_meta_id(const void *left, const void *right)
{
	const struct xplane_meta *a = left, *b = right;
	return (a->id > b->id) - (a->id < b->id);
}

static int xplane_by_word_id(const void *left, const void *right)
{
	const struct xplane_word *a = left, *b = right;
	return (a->id > b->id) - (a->id < b->id);
}

static void xplane_clear(struct xplane_plane *p)
{
	p->id = 0;
	p->name = 0;
	p->lines.n = p->events.n = p->stats.n = p->own.n = 0;
	p->metas.n = p->words.n = 0;
}

static void xplane_read_plane(struct xplane *x)
{
	struct proto *p = &x->proto;
	struct xplane_plane *plane = &x->plane;
	if (!proto_enter(p))
		return;
	xplane_clear(plane);
	while (proto_next(p)) {
		switch (p->field) {
		case PLANE_ID:
			plane->id = xplane_number(x);
			break;
		case PLANE_NAME:
			plane->name = xplane_text(x);
			break;
		case PLANE_LINE:
			xplane_read_line(x);
			break;
		case PLANE_EVENT_TABLE:
			xplane_read_meta_entry(x);
			break;
		case PLANE_STAT_TABLE:
			xplane_read_word(x);
			break;
		case PLANE_STAT:
			xplane_add_own(x);
			break;
		default:
			break;
		}
	}
	proto_leave(p);
	if (plane->metas.n)
		qsort(plane->metas.at, plane->metas.n, sizeof *plane->metas.at,
			xplane_by_meta_id);
	if (plane->words.n)
		qsort(plane->words.at, plane->words.n, sizeof *plane->words.at,
			xplane_by_word_id);
}

static bool xplane_read(struct xplane *x, struct err *e)
{
	struct proto *p = &x->proto;
	while (proto_next(p)) {
		if (p->field == SPACE_HOSTNAME && !x->host)
			x->host = xplane_text(x);
		if (p->field != SPACE_PLANE)
			continue;
		xplane_read_plane(x);
		if (p->failed || !xplane_rows(x, e))
			return false;
	}
	return !p->failed;
}

static void xplane_note_ending(const struct xplane *x)
{
	struct trace *t = x->trace;
	const struct proto *p = &x->proto;
	bool noted = t->notes.count[NOTE_truncated] ||
		     t->notes.count[NOTE_damaged] ||
		     t->notes.count[NOTE_checksum];
	if (p->bad) {
		char text[48];
		int n = snprintf(text, sizeof text, "at byte %lld",
			(long long)p->bad_at);
		note_add(&t->notes, NOTE_bad_event, p->bad, text, (size_t)n);
	} else if (p->cut && !noted) {
		note_add(&t->notes, NOTE_truncated, p->window->plain->out, NULL,
			0);
	}
}

/* Newer profilers count from the start of the profile, which they record;
 * older ones count from 1970. */
static void xplane_clock(struct xplane *x)
{
	const int64_t year_2001_ns = INT64_C(1000000000000000000);
	struct trace *t = x->trace;
	finish_rebase(t);
	if (t->base_ns < x->profile_start_ns / 2 && t->base_ns >= 0)
		t->base_ns += x->profile_start_ns;
	t->base_is_utc = t->base_ns > year_2001_ns;
}

static bool xplane_finish(struct xplane *x, struct err *e)
{
	struct trace *t = x->trace;
	xplane_note_ending(x);
	if (x->events == 0 && x->proto.cut)
		return err_set(e, ERR_TRACE,
			"this xplane.pb breaks off or is damaged before its "
			"first event");
	if (x->events == 0)
		return err_set(e, ERR_TRACE,
			"this xplane.pb has no event of a device or of the "
			"host; was the profiler running while the work was "
			"done?");
	if (x->used == 0)
		return err_set(e, ERR_TRACE,
			"none of the %lld events of this xplane.pb could be "
			"used",
			(long long)x->events);
	t->format = "xplane";
	t->framework = x->jax ? "jax" : NULL;
	t->processes[0].host = x->host;
	if (!xplane_hlo_rows(x) || !fact_list_give_all(&x->facts))
		return arena_err(t->arena, e);
	xplane_clock(x);
	return true;
}

bool xplane_decode(struct byte_window *w, struct trace *t, struct err *e)
{
	struct xplane x = { .trace = t, .text = { .trace = t } };
	x.facts.text = &x.text;
	x.hlo.program = -1;
	t->processes = arena_array(t->arena, struct process, 1);
	if (!t->processes || !names_init(&x.hlo.ops, t->arena))
		return arena_err(t->arena, e);
	t->processes[t->processes_n++] =
		(struct process){ .pid = -1, .rank = -1, .world_size = -1 };
	proto_init(&x.proto, w, e);
	return xplane_read(&x, e) && xplane_finish(&x, e);
}
