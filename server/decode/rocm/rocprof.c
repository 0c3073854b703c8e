/* rocprof.c - decodes rocprofv3 JSON files */
#include "json_reader.h"
#include "format.h"
#include "finish.h"
#include "rocprof.h"

enum rocprof_place {
	ROCPROF_AT_END, /* behind the last bracket; or nowhere */
	ROCPROF_AT_TOP,
	ROCPROF_AT_TOOLS, /* a list; the others are objects */
	ROCPROF_AT_TOOL,
	ROCPROF_AT_STRINGS,
	ROCPROF_AT_CALLBACK,
	ROCPROF_AT_BUFFER,
};

/* A list of use: how an object in it is read, and what becomes of it. */
struct rocprof_list {
	enum rocprof_place at;
	enum rocprof_key key;
	rocprof_read_fn *read;
	rocprof_add_fn *add;
};

static enum rocprof_place rocprof_json_around(enum rocprof_place at);

/* The place that a key's value is whose first byte this is; else AT_END. */
static enum rocprof_place rocprof_json_inside(enum rocprof_place at,
	enum rocprof_key k, char bracket);

/* The key at p, a quote, if it is one that surrounds records and a bracket
 * follows, which is given; else ROCPROF_NONE. */
static enum rocprof_key rocprof_json_section_at(const struct word_table *w,
	const char *p, const char *end, char *bracket);

/* The place of such a key, if the key alone decides it; of those that occur in
 * two places it is the one of records. */
static enum rocprof_place rocprof_json_place_of(enum rocprof_key k,
	char bracket);

/* Looks up the lists of rocprof.def. */

static const struct enter {
	enum rocprof_place at;
	enum rocprof_key key;
	enum rocprof_place inside;
} enters[] = {
#define ENTER(at, key, inside) \
	{ ROCPROF_AT_##at, ROCPROF_##key, ROCPROF_AT_##inside },
#include "rocprof.def"
#undef ENTER
};

static const struct rocprof_list lists[] = {
#define LIST(at, key, read, add) \
	{ ROCPROF_AT_##at, ROCPROF_##key, rocprof_##read, rocprof_##add },
#include "rocprof.def"
#undef LIST
};
enum {
	ENTERS = sizeof enters / sizeof *enters,
	LISTS = sizeof lists / sizeof *lists
};

static enum rocprof_place rocprof_json_around(enum rocprof_place at)
{
	static const enum rocprof_place around[] = {
		[ROCPROF_AT_TOP] = ROCPROF_AT_END,
		[ROCPROF_AT_TOOLS] = ROCPROF_AT_TOP,
		[ROCPROF_AT_TOOL] = ROCPROF_AT_TOOLS,
		[ROCPROF_AT_STRINGS] = ROCPROF_AT_TOOL,
		[ROCPROF_AT_CALLBACK] = ROCPROF_AT_TOOL,
		[ROCPROF_AT_BUFFER] = ROCPROF_AT_TOOL,
	};
	return around[at];
}

static enum rocprof_place rocprof_json_inside(enum rocprof_place at,
	enum rocprof_key k, char bracket)
{
	for (int i = 0; i < ENTERS; i++) {
		enum rocprof_place in = enters[i].inside;
		char opens = in == ROCPROF_AT_TOOLS ? '[' : '{';
		if (enters[i].at == at && enters[i].key == k &&
			bracket == opens)
			return in;
	}
	return ROCPROF_AT_END;
}

/* The list a key's value is, where it is one of use; else NULL. */
static const struct rocprof_list *rocprof_json_list_of(enum rocprof_place at,
	enum rocprof_key k)
{
	for (int i = 0; i < LISTS; i++)
		if (lists[i].at == at && lists[i].key == k)
			return &lists[i];
	return NULL;
}

static enum rocprof_key rocprof_json_section_at(const struct word_table *w,
	const char *p, const char *end, char *bracket)
{
	struct scan s = { .end = end };
	struct text_span key;
	p = scan_key(&s, p, &key);
	*bracket = p ? *p : 0;
	if (*bracket != '[' && *bracket != '{')
		return ROCPROF_NONE;
	enum rocprof_key k = word_table_find(w, key.at, key.len);
	return k >= ROCPROF_TOOLS ? k : ROCPROF_NONE;
}

static enum rocprof_place rocprof_json_place_of(enum rocprof_key k,
	char bracket)
{
	enum rocprof_place at = ROCPROF_AT_TOOL;
	for (int i = 0; i < LISTS && bracket == '['; i++)
		if (lists[i].key == k)
			at = lists[i].at;
	return k == ROCPROF_TOOLS ? ROCPROF_AT_TOP : at;
}

struct rocprof_file {
	struct rocprof r;
	struct json_list_kind kind;
	enum rocprof_place at;
	enum rocprof_key key; /* the one whose value is being read */
	const struct rocprof_list
		*list; /* being read; NULL: records not kept */
};

static const char *rocprof_json_read_key(void *ctx, struct scan *s,
	const char *p)
{
	struct rocprof_file *f = ctx;
	struct text_span key;
	p = scan_key(s, p, &key);
	if (!p)
		return NULL;
	f->key = word_table_find(&f->r.words, key.at, key.len);
	snprintf(f->r.section, sizeof f->r.section, "%.*s", (int)key.len,
		key.at);
	return p;
}

static const char *rocprof_json_read_thing(void *ctx, struct scan *s,
	const char *p)
{
	struct rocprof_file *f = ctx;
	return f->list ? f->list->read(s, &f->r.words, p, &f->r.thing)
		       : scan_skip(s, p, false);
}

static const char *rocprof_json_read_metadata(void *ctx, struct scan *s,
	const char *p)
{
	struct rocprof_file *f = ctx;
	return rocprof_metadata(s, &f->r.words, p, &f->r.thing);
}

static const char *rocprof_json_read_other(void *ctx, struct scan *s,
	const char *p)
{
	(void)ctx;
	return scan_skip(s, p, true);
}

static bool rocprof_json_use(void *ctx, struct err *e)
{
	struct rocprof_file *f = ctx;
	return (f->list ? f->list->add(&f->r) : rocprof_other_add(&f->r)) ||
	       arena_err(f->r.trace->arena, e);
}

static void rocprof_json_bad(void *ctx, const char *what, size_t len)
{
	struct rocprof_file *f = ctx;
	f->r.records++;
	if (f->at == ROCPROF_AT_STRINGS && f->key == ROCPROF_BUFFER)
		f->r.kinds = -1;
	note_add(&f->r.trace->notes, NOTE_bad_event, 1, what, len);
}

static bool rocprof_json_metadata(struct rocprof_file *f,
	enum json_reading *got, struct err *e)
{
	*got = json_reader_read(&f->r.json, rocprof_json_read_metadata, f,
		false, e);
	return *got != READ || rocprof_metadata_add(&f->r) ||
	       arena_err(f->r.trace->arena, e);
}

/* The value of f->key. READ_ERR with *e. */
static enum json_reading rocprof_json_value(struct rocprof_file *f,
	struct err *e)
{
	struct json_reader *r = &f->r.json;
	enum json_reading got;
	char c;
	if (!json_reader_token(r, &c, e))
		return READ_ERR;
	enum rocprof_place in = rocprof_json_inside(f->at, f->key, c);
	f->list = rocprof_json_list_of(f->at, f->key);
	if (in != ROCPROF_AT_END) {
		r->window->at++;
		f->at = in;
		return READ;
	}
	if (c == '[' && (f->list || f->at == ROCPROF_AT_BUFFER ||
				f->at == ROCPROF_AT_CALLBACK)) {
		r->window->at++;
		return json_reader_list(&f->r.json, &f->kind, f, e) ? READ
								    : READ_ERR;
	}
	if (c == '{' && f->at == ROCPROF_AT_TOOL &&
		f->key == ROCPROF_METADATA && json_reader_patient(r)) {
		if (!rocprof_json_metadata(f, &got, e))
			return READ_ERR;
		if (got != READ_LONG)
			return got;
	}
	if (c && strchr("[{\"", c))
		return byte_window_skip(r->window, e) ? READ : READ_ERR;
	return json_reader_read(r, rocprof_json_read_other, f, false, e);
}

/* Moves to the next key that surrounds records; false with *e, or with `cut` if
 * there is none. */
static bool rocprof_json_resync_section(struct rocprof_file *f,
	enum rocprof_key *k, char *bracket, struct err *e)
{
	enum { KEY_ROOM = 64 }; /* for the longest key and what is behind it */
	struct byte_window *w = f->r.json.window;
	for (;; w->at++) {
		if (w->end - w->at < KEY_ROOM &&
			byte_window_more(w, e) == WINDOW_ERR)
			return false;
		f->r.json.cut = w->at >= w->end;
		if (f->r.json.cut)
			return false;
		*k = *w->at == '"' ? rocprof_json_section_at(&f->r.words, w->at,
					     w->end, bracket)
				   : ROCPROF_NONE;
		if (*k)
			return true;
	}
}

/* Around the records something cannot be read: on to the next list of them. */
static bool rocprof_json_broken(struct rocprof_file *f, struct err *e)
{
	struct json_reader *r = &f->r.json;
	int64_t from = json_reader_offset(r);
	enum rocprof_key k = ROCPROF_NONE;
	char bracket = 0;
	r->window->at++;
	bool found = rocprof_json_resync_section(f, &k, &bracket, e);
	note_add(&f->r.trace->notes, NOTE_json_garbage,
		json_reader_offset(r) - from, NULL, 0);
	if (!found)
		return f->r.json.cut;
	f->at = rocprof_json_place_of(k, bracket);
	return f->at == ROCPROF_AT_TOP || f->r.open ||
	       rocprof_process_begin(&f->r, e);
}

/* A bracket closes the place one is in. */
static bool rocprof_json_leave(struct rocprof_file *f, struct err *e)
{
	enum rocprof_place left = f->at;
	f->r.json.window->at++;
	f->at = rocprof_json_around(left);
	return left != ROCPROF_AT_TOOL || !f->r.open ||
	       rocprof_process_end(&f->r, e);
}

/* The next value in the list of processes. */
static bool rocprof_json_tool(struct rocprof_file *f, char first, struct err *e)
{
	struct json_reader *r = &f->r.json;
	if (first == '{') {
		r->window->at++;
		f->at = ROCPROF_AT_TOOL;
		return rocprof_process_begin(&f->r, e);
	}
	rocprof_json_bad(f, "not a process", strlen("not a process"));
	if (strchr("[\"", first))
		return byte_window_skip(r->window, e);
	enum json_reading got =
		json_reader_read(r, rocprof_json_read_other, f, false, e);
	f->r.json.cut |= got == READ_CUT;
	return got == READ_BROKEN || got == READ_LONG
		       ? rocprof_json_broken(f, e)
		       : got != READ_ERR;
}

static bool rocprof_json_field(struct rocprof_file *f, struct err *e)
{
	enum json_reading got = json_reader_read(&f->r.json,
		rocprof_json_read_key, f, false, e);
	if (got == READ)
		got = rocprof_json_value(f, e);
	f->r.json.cut |= got == READ_CUT;
	return got == READ_BROKEN || got == READ_LONG
		       ? rocprof_json_broken(f, e)
		       : got != READ_ERR;
}

static bool rocprof_json_text(struct rocprof_file *f, struct err *e)
{
	struct json_reader *r = &f->r.json;
	char c;
	while (f->at != ROCPROF_AT_END && !f->r.json.cut) {
		bool ok = true;
		if (!json_reader_token(r, &c, e))
			return false;
		if (r->window->at >= r->window->end)
			f->r.json.cut = true;
		else if (c == ',')
			r->window->at++;
		else if (c == '}' || c == ']')
			ok = rocprof_json_leave(f, e);
		else
			ok = f->at == ROCPROF_AT_TOOLS
				     ? rocprof_json_tool(f, c, e)
				     : rocprof_json_field(f, e);
		if (!ok)
			return false;
	}
	return !f->r.open || rocprof_process_end(&f->r, e);
}

/* Why a file without a single row of any use is none. */
static bool rocprof_json_useless(const struct rocprof_file *f, struct err *e)
{
	if (json_reader_end_explains(&f->r.json, f->r.records, "record", e))
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

static bool rocprof_json_finish(struct rocprof_file *f, struct err *e)
{
	struct trace *t = f->r.trace;
	if (f->r.used == 0)
		return rocprof_json_useless(f, e);
	json_reader_note_cut(&f->r.json, t);
	if (t->processes_n > 1)
		note_add(&t->notes, NOTE_fused, t->processes_n, NULL, 0);
	t->format = "rocprofv3";
	finish_rebase(t);
	return true;
}

bool rocprof_json_decode(struct byte_window *w, struct trace *t, struct err *e)
{
	struct rocprof_file *f = arena_new(t->arena, struct rocprof_file);
	if (!f || !rocprof_init(&f->r, w, t))
		return arena_err(t->arena, e);
	f->kind = (struct json_list_kind){
		.keys = { &f->r.words, ROCPROF_SIZE, ROCPROF_BYTES,
			ROCPROF_TOOLS },
		.read = rocprof_json_read_thing,
		.use = rocprof_json_use,
		.bad = rocprof_json_bad,
	};
	f->at = ROCPROF_AT_TOP;
	if (w->end - w->at >= 3 && !memcmp(w->at, "\xEF\xBB\xBF", 3))
		w->at += 3;
	char c;
	if (!json_reader_token(&f->r.json, &c, e))
		return false;
	w->at++;
	return rocprof_json_text(f, e) && json_reader_end(&f->r.json, t, e) &&
	       rocprof_json_finish(f, e);
}
