/* rocprof_json.c - rocprofv3's own JSON, from the first bracket to the last.
 *
 * Which place and list a key leads to is rocprof_place.h's to know. */
#include "ending.h"
#include "format.h"
#include "rebase.h"
#include "rocprof_place.h"

struct file {
	struct rocprof r;
	struct items_kind kind;
	enum rocprof_place at;
	enum rocprof_key key; /* the one whose value is being read */
	const struct rocprof_list
		*list; /* being read; NULL: records not kept */
};

static const char *read_key(void *ctx, struct scan *s, const char *p)
{
	struct file *f = ctx;
	struct span key;
	p = scan_key(s, p, &key);
	if (!p)
		return NULL;
	f->key = words_find(&f->r.words, key.at, key.len);
	snprintf(f->r.section, sizeof f->r.section, "%.*s", (int)key.len,
		key.at);
	return p;
}

static const char *read_thing(void *ctx, struct scan *s, const char *p)
{
	struct file *f = ctx;
	return f->list ? f->list->read(s, &f->r.words, p, &f->r.thing)
		       : scan_skip(s, p, false);
}

static const char *read_metadata(void *ctx, struct scan *s, const char *p)
{
	struct file *f = ctx;
	return rocprof_metadata(s, &f->r.words, p, &f->r.thing);
}

static const char *read_other(void *ctx, struct scan *s, const char *p)
{
	(void)ctx;
	return scan_skip(s, p, true);
}

static bool use(void *ctx, struct err *e)
{
	struct file *f = ctx;
	return (f->list ? f->list->add(&f->r) : rocprof_other_add(&f->r)) ||
	       arena_err(f->r.trace->arena, e);
}

static void bad(void *ctx, const char *what, size_t len)
{
	struct file *f = ctx;
	f->r.records++;
	if (f->at == ROCPROF_AT_STRINGS && f->key == ROCPROF_BUFFER)
		f->r.kinds = -1;
	note_add(&f->r.trace->notes, NOTE_bad_event, 1, what, len);
}

static bool metadata(struct file *f, enum reading *got, struct err *e)
{
	*got = reader_read(&f->r.items.reader, read_metadata, f, false, e);
	return *got != READ || rocprof_metadata_add(&f->r) ||
	       arena_err(f->r.trace->arena, e);
}

/* The value of f->key. READ_ERR with *e. */
static enum reading value(struct file *f, struct err *e)
{
	struct reader *r = &f->r.items.reader;
	enum reading got;
	char c;
	if (!reader_token(r, &c, e))
		return READ_ERR;
	enum rocprof_place in = rocprof_inside(f->at, f->key, c);
	f->list = rocprof_list_of(f->at, f->key);
	if (in != ROCPROF_AT_END) {
		r->window->at++;
		f->at = in;
		return READ;
	}
	if (c == '[' && (f->list || f->at == ROCPROF_AT_BUFFER ||
				f->at == ROCPROF_AT_CALLBACK)) {
		r->window->at++;
		return items_read(&f->r.items, &f->kind, f, e) ? READ
							       : READ_ERR;
	}
	if (c == '{' && f->at == ROCPROF_AT_TOOL &&
		f->key == ROCPROF_METADATA && reader_patient(r)) {
		if (!metadata(f, &got, e))
			return READ_ERR;
		if (got != READ_LONG)
			return got;
	}
	if (c && strchr("[{\"", c))
		return window_skip(r->window, e) ? READ : READ_ERR;
	return reader_read(r, read_other, f, false, e);
}

/* Goes to the next key that surrounds records; false with *e, or with `cut`
 * where there is none. */
static bool resync_section(struct file *f, enum rocprof_key *k, char *bracket,
	struct err *e)
{
	enum { KEY_ROOM = 64 }; /* for the longest key and what is behind it */
	struct window *w = f->r.items.reader.window;
	for (;; w->at++) {
		if (w->end - w->at < KEY_ROOM &&
			window_more(w, e) == WINDOW_ERR)
			return false;
		f->r.items.cut = w->at >= w->end;
		if (f->r.items.cut)
			return false;
		*k = *w->at == '"' ? rocprof_section_at(&f->r.words, w->at,
					     w->end, bracket)
				   : ROCPROF_NONE;
		if (*k)
			return true;
	}
}

/* Around the records something cannot be read: on to the next list of them. */
static bool broken(struct file *f, struct err *e)
{
	struct reader *r = &f->r.items.reader;
	int64_t from = reader_offset(r);
	enum rocprof_key k = ROCPROF_NONE;
	char bracket = 0;
	r->window->at++;
	bool found = resync_section(f, &k, &bracket, e);
	note_add(&f->r.trace->notes, NOTE_json_garbage, reader_offset(r) - from,
		NULL, 0);
	if (!found)
		return f->r.items.cut;
	f->at = rocprof_place_of(k, bracket);
	return f->at == ROCPROF_AT_TOP || f->r.open ||
	       rocprof_process_begin(&f->r, e);
}

/* A bracket closes the place one is in. */
static bool leave(struct file *f, struct err *e)
{
	enum rocprof_place left = f->at;
	f->r.items.reader.window->at++;
	f->at = rocprof_around(left);
	return left != ROCPROF_AT_TOOL || !f->r.open ||
	       rocprof_process_end(&f->r, e);
}

/* What stands in the list of processes. */
static bool tool(struct file *f, char first, struct err *e)
{
	struct reader *r = &f->r.items.reader;
	if (first == '{') {
		r->window->at++;
		f->at = ROCPROF_AT_TOOL;
		return rocprof_process_begin(&f->r, e);
	}
	bad(f, "not a process", strlen("not a process"));
	if (strchr("[\"", first))
		return window_skip(r->window, e);
	enum reading got = reader_read(r, read_other, f, false, e);
	f->r.items.cut |= got == READ_CUT;
	return got == READ_BROKEN || got == READ_LONG ? broken(f, e)
						      : got != READ_ERR;
}

static bool field(struct file *f, struct err *e)
{
	enum reading got =
		reader_read(&f->r.items.reader, read_key, f, false, e);
	if (got == READ)
		got = value(f, e);
	f->r.items.cut |= got == READ_CUT;
	return got == READ_BROKEN || got == READ_LONG ? broken(f, e)
						      : got != READ_ERR;
}

static bool text(struct file *f, struct err *e)
{
	struct reader *r = &f->r.items.reader;
	char c;
	while (f->at != ROCPROF_AT_END && !f->r.items.cut) {
		bool ok = true;
		if (!reader_token(r, &c, e))
			return false;
		if (r->window->at >= r->window->end)
			f->r.items.cut = true;
		else if (c == ',')
			r->window->at++;
		else if (c == '}' || c == ']')
			ok = leave(f, e);
		else
			ok = f->at == ROCPROF_AT_TOOLS ? tool(f, c, e)
						       : field(f, e);
		if (!ok)
			return false;
	}
	return !f->r.open || rocprof_process_end(&f->r, e);
}

/* Why a file without a single row of any use is none. */
static bool useless(const struct file *f, struct err *e)
{
	if (ending_explains(&f->r.items, f->r.records, "record", e))
		return false;
	if (f->r.records == 0)
		return err_set(e, ERR_TRACE,
			"this rocprofv3 JSON holds no records; run the "
			"program with rocprofv3 --sys-trace");
	return err_set(e, ERR_TRACE,
		"none of the %lld records of this rocprofv3 JSON is a kernel, "
		"copy, HIP call or marker that could be read; run the program "
		"with rocprofv3 --sys-trace",
		(long long)f->r.records);
}

static bool finish(struct file *f, struct err *e)
{
	struct trace *t = f->r.trace;
	if (f->r.used == 0)
		return useless(f, e);
	ending_note(&f->r.items, t);
	if (t->processes_n > 1)
		note_add(&t->notes, NOTE_fused, t->processes_n, NULL, 0);
	t->format = "rocprofv3";
	rebase(t);
	return true;
}

bool rocprof_json_decode(struct window *w, struct trace *t, struct err *e)
{
	struct file *f = arena_new(t->arena, struct file);
	if (!f || !rocprof_init(&f->r, w, t))
		return arena_err(t->arena, e);
	f->kind = (struct items_kind){
		.keys = { &f->r.words, ROCPROF_SIZE, ROCPROF_BYTES,
			ROCPROF_TOOLS },
		.read = read_thing,
		.use = use,
		.bad = bad,
	};
	f->at = ROCPROF_AT_TOP;
	if (w->end - w->at >= 3 && !memcmp(w->at, "\xEF\xBB\xBF", 3))
		w->at += 3;
	char c;
	if (!reader_token(&f->r.items.reader, &c, e))
		return false;
	w->at++;
	return text(f, e) && ending_read(&f->r.items, t, e) && finish(f, e);
}
