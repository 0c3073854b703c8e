/* kineto.c - from the first bracket of the text to the last. */
#include "kineto.h"
#include "ending.h"
#include "events.h"
#include "idle.h"
#include "link.h"
#include "meta.h"
#include "rebase.h"

struct kineto {
	struct trace *trace;
	struct events events;
	struct meta meta;
	enum key key; /* the one whose value is being read */
	bool listed; /* a list of events was found */
};

static const char *read_key(void *ctx, struct scan *s, const char *p)
{
	struct kineto *k = ctx;
	struct span key;
	p = scan_key(s, p, &key);
	if (p)
		k->key = words_find(&k->events.words.keys, key.at, key.len);
	return p;
}

static const char *read_value(void *ctx, struct scan *s, const char *p)
{
	struct kineto *k = ctx;
	return meta_key(&k->meta, k->key) ? meta_value(&k->meta, s, p, k->key)
					  : scan_skip(s, p, true);
}

static bool list(struct kineto *k, struct err *e)
{
	k->listed = true;
	k->events.items.reader.window->at++;
	return events_read(&k->events, e);
}

/* The value of k->key. READ_ERR with *e. */
static enum reading value(struct kineto *k, struct err *e)
{
	struct reader *r = &k->events.items.reader;
	char c;
	if (!reader_token(r, &c, e))
		return READ_ERR;
	if (k->key == KEY_EVENTS && c == '[')
		return list(k, e) ? READ : READ_ERR;
	if (!meta_key(&k->meta, k->key) && c && strchr("[{\"", c))
		return window_skip(r->window, e) ? READ : READ_ERR;
	enum reading got = reader_read(r, read_value, k, false, e);
	if (got == READ_LONG)
		return window_skip(r->window, e) ? READ : READ_ERR;
	if (k->trace->arena->full) {
		arena_err(k->trace->arena, e);
		return READ_ERR;
	}
	return got;
}

/* Around the events something cannot be read: on to the next event. */
static bool broken(struct kineto *k, bool *end, struct err *e)
{
	struct window *w = k->events.items.reader.window;
	int64_t from = reader_offset(&k->events.items.reader);
	enum resync r = resync(w, &k->events.kind.keys, e);
	note_add(&k->trace->notes, NOTE_json_garbage,
		reader_offset(&k->events.items.reader) - from, NULL, 0);
	*end = r == RESYNC_NONE;
	if (r == RESYNC_ITEM) {
		k->listed = true;
		return events_read(&k->events, e);
	}
	if (r == RESYNC_LIST_END)
		w->at++;
	return r != RESYNC_ERR;
}

/* The object around the list, from inside to behind its end. */
static bool object(struct kineto *k, struct err *e)
{
	struct reader *r = &k->events.items.reader;
	bool end = false;
	char c;
	while (!end && !k->events.items.cut) {
		if (!reader_token(r, &c, e))
			return false;
		if (r->window->at >= r->window->end) {
			k->events.items.cut = true;
			break;
		}
		if (c == ',' || c == '}') {
			r->window->at++;
			end = c == '}';
			continue;
		}
		enum reading got = reader_read(r, read_key, k, false, e);
		if (got == READ)
			got = value(k, e);
		k->events.items.cut |= got == READ_CUT;
		if (got == READ_ERR)
			return false;
		if ((got == READ_BROKEN || got == READ_LONG) &&
			!broken(k, &end, e))
			return false;
	}
	return true;
}

static bool text(struct kineto *k, struct err *e)
{
	struct window *w = k->events.items.reader.window;
	char c;
	if (w->end - w->at >= 3 && !memcmp(w->at, "\xEF\xBB\xBF", 3))
		w->at += 3;
	if (!reader_token(&k->events.items.reader, &c, e))
		return false;
	if (c == '[')
		return list(k, e) && ending_read(&k->events.items, k->trace, e);
	w->at++;
	return object(k, e) && ending_read(&k->events.items, k->trace, e);
}

/* Why a file without a single row of any use is none. */
static bool useless(const struct kineto *k, struct err *e)
{
	if (ending_explains(&k->events.items, k->events.rows.events, "event",
		    e))
		return false;
	if (!k->listed)
		return err_set(e, ERR_TRACE,
			"the JSON has no list 'traceEvents'; upload what "
			"torch.profiler's export_chrome_trace() wrote");
	if (k->events.rows.events == 0)
		return err_set(e, ERR_TRACE,
			"the list of events is empty; was the profiler "
			"running while the work was done?");
	return err_set(e, ERR_TRACE,
		"none of the %lld events is a kernel, copy, call, operator or "
		"range that could be read",
		(long long)k->events.rows.events);
}

static bool finish(struct kineto *k, struct err *e)
{
	struct trace *t = k->trace;
	if (k->events.rows.used == 0)
		return useless(k, e);
	ending_note(&k->events.items, t);
	t->format = "kineto";
	if (k->meta.pytorch || k->events.rows.pytorch)
		t->framework = "pytorch";
	rebase(t);
	if (!link_processes(t, &k->events.rows.pids))
		return arena_err(t->arena, e);
	return (meta_apply(&k->meta) && idle_drop(t)) || arena_err(t->arena, e);
}

bool kineto_decode(struct window *w, struct trace *t, struct err *e)
{
	struct kineto *k = arena_new(t->arena, struct kineto);
	if (!k || !events_init(&k->events, w, t))
		return arena_err(t->arena, e);
	k->trace = t;
	k->meta = (struct meta){ .trace = t,
		.text = &k->events.rows.text,
		.facts.text = &k->events.rows.text,
		.words = &k->events.words,
		.base_time_ns = -1,
		.rank = -1,
		.world_size = -1 };
	return text(k, e) && finish(k, e);
}
