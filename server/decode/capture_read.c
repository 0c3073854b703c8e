/* capture_read.c - kst_decode(): a capture's chunks become a trace. */
#include "capture.h"
#include "format.h"
#include "idle.h"
#include "rebase.h"

static int64_t read_piece(void *ctx, void *to, size_t cap)
{
	struct capture *c = ctx;
	struct window *w = c->w;
	if (w->at == w->end && window_more(w, c->e) == WINDOW_ERR)
		return -1;
	size_t n = (size_t)(w->end - w->at);
	n = n < cap ? n : cap;
	memcpy(to, w->at, n);
	w->at += n;
	return (int64_t)n;
}

static void *grow(void *ctx, void *p, size_t bytes)
{
	return arena_grow(ctx, p, bytes);
}

static void drop(void *ctx, void *p)
{
	arena_drop(ctx, p);
}

/* Texts met since the last chunk, in the order of the capture. */
static bool names_add(struct capture *c, uint32_t *known)
{
	uint32_t n = (uint32_t)kst_reader_texts(c->r);
	if (!capture_room(c, (void **)&c->names, &c->names_room, n,
		    sizeof *c->names))
		return false;
	for (; *known < n; ++*known) {
		size_t len;
		const char *text = kst_reader_text(c->r, *known, &len);
		uint32_t id = text_put(&c->text, text, len, SIZE_MAX);
		if (id == NAMES_NONE)
			return false;
		c->names[*known] = id;
		c->names_long |= len > TEXT_MAX;
	}
	return true;
}

static bool chunks(struct capture *c)
{
	struct kst_chunk k;
	enum kst_got got;
	uint32_t known = 0;
	bool ok = true;
	while (ok && (got = kst_reader_next(c->r, &k)) == KST_CHUNK)
		ok = names_add(c, &known) &&
		     (k.kind < KST_kernel ? capture_told(c, &k)
					  : capture_rows(c, &k));
	if (ok && got == KST_END)
		return true;
	if (!ok || got == KST_FULL)
		return arena_err(c->t->arena, c->e);
	int major, minor;
	kst_reader_version(c->r, &major, &minor);
	if (got == KST_NEWER)
		err_set(c->e, ERR_FORMAT,
			"this capture has format version %d.%d, and this "
			"server reads %d.%d; update the server",
			major, minor, KST_MAJOR, KST_MINOR);
	else if (got == KST_FOREIGN)
		err_set(c->e, ERR_TRACE,
			"the capture breaks off in its first bytes");
	return false;
}

static void damage_note(struct capture *c)
{
	const struct kst_damage *d = kst_reader_damage(c->r);
	struct notes *ns = &c->t->notes;
	uint64_t damaged = d->damaged + d->missing + d->repeated;
	uint64_t unknown = d->unknown_chunks + d->unknown_columns;
	bool told = ns->count[NOTE_truncated] || ns->count[NOTE_damaged] ||
		    ns->count[NOTE_checksum];
	const struct {
		enum note_code code;
		uint64_t count;
		const char *detail;
	} list[] = {
		{ NOTE_chunk_damaged, damaged, d->first },
		{ NOTE_chunk_unknown, unknown, d->first_unknown },
		{ NOTE_name_lost, d->lost, NULL },
		{ NOTE_chunk_behind, d->behind, NULL },
		{ NOTE_truncated, d->cut && !told ? kst_reader_bytes(c->r) : 0,
			NULL },
	};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (list[i].count)
			capture_note(ns, list[i].code,
				list[i].count < TRACE_TIME_MAX_NS
					? (int64_t)list[i].count
					: TRACE_TIME_MAX_NS,
				list[i].detail ? list[i].detail : "",
				list[i].detail ? strlen(list[i].detail) : 0);
}

/* The earliest start of a cycle; INT64_MAX where none is told. */
static int64_t first_cycle(const struct pattern_rows *p)
{
	int64_t first = INT64_MAX;
	for (uint32_t i = 0; i < p->n; i++)
		if (p->cycle_start_ns[i] >= 0 && p->cycle_start_ns[i] < first)
			first = p->cycle_start_ns[i];
	return first;
}

/* Cycles move along with the rows. */
static void cycles_shift(struct capture *c)
{
	struct trace *t = c->t;
	int64_t *at = t->pattern.cycle_start_ns;
	for (uint32_t i = 0; i < t->pattern.n; i++) {
		if (at[i] < 0 ||
			(!__builtin_sub_overflow(at[i], t->base_ns, &at[i]) &&
				at[i] >= 0))
			continue;
		at[i] = -1;
		capture_odd(c, "pattern");
	}
}

/* Rows count from the first of them, as in any trace. A moment of the trace
 * added to its base must not overflow. */
static void base(struct capture *c)
{
	const struct kst_about *about = kst_reader_about(c->r);
	struct trace *t = c->t;
	rebase_kept(t, first_cycle(&t->pattern));
	cycles_shift(c);
	t->base_is_utc = about->base_is_utc == 1;
	if (__builtin_add_overflow(t->base_ns, about->base_ns, &t->base_ns) ||
		t->base_ns > INT64_MAX - 2 * TRACE_TIME_MAX_NS) {
		t->base_ns = 0;
		t->base_is_utc = false;
		capture_odd(c, "about");
	}
}

/* Words that the capture tells of itself; NULL where it tells none. */
static const char *word(struct capture *c, const char *text)
{
	uint32_t id = text_put(&c->text, text, strlen(text), TEXT_MAX);
	return id == NAMES_NONE || id == 0 ? NULL
					   : names_text(&c->t->names, id);
}

static bool finish(struct capture *c)
{
	const struct kst_about *about = kst_reader_about(c->r);
	const struct kst_damage *d = kst_reader_damage(c->r);
	struct trace *t = c->t;
	if (c->rows == 0 && (d->damaged || d->missing))
		return err_set(c->e, ERR_TRACE,
			"the capture is damaged, and no record in it can be "
			"used");
	if (c->rows == 0 && d->cut)
		return err_set(c->e, ERR_TRACE,
			"the capture breaks off before its first record");
	if (!idle_drop(t))
		return arena_err(t->arena, c->e);
	if (t->processes_n == 0)
		return err_set(c->e, ERR_TRACE, "the capture holds no record");
	base(c);
	damage_note(c);
	t->format = word(c, about->source);
	if (!t->format)
		t->format = "kst";
	t->framework = word(c, about->framework);
	return !t->arena->full || arena_err(t->arena, c->e);
}

bool kst_decode(struct window *w, struct trace *t, struct err *e)
{
	const struct kst_memory memory = { grow, drop, t->arena };
	struct capture *c = arena_new(t->arena, struct capture);
	if (!c)
		return arena_err(t->arena, e);
	*c = (struct capture){ .t = t, .w = w, .e = e, .text = { .trace = t } };
	c->process_of = arena_grow(t->arena, NULL,
		(UINT16_MAX + 1) * sizeof *c->process_of);
	c->r = kst_reader_new(read_piece, c, &memory);
	bool ok = c->process_of && c->r;
	if (ok)
		kst_reader_only(c->r, ~KST_BIT(clock));
	ok = ok ? chunks(c) && finish(c) : arena_err(t->arena, e);
	kst_reader_free(c->r);
	arena_drop(t->arena, c->process_of);
	arena_drop(t->arena, c->names);
	return ok;
}
