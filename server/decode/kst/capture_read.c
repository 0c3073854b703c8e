/* capture_read.c - decodes capture files (.kst) */
#include "format.h"
#include "finish.h"
#include "kernsift/kst_reader.h"
#include "text.h"
#include "utf8.h"
#include "byte_window.h"

enum { DEVICES_MAX = 4096, PROCESSES_MAX = UINT16_MAX };

struct capture_read {
	struct trace *t;
	struct byte_window *w;
	struct kst_reader *r;
	struct err *e; /* the error of reading the file */
	struct text text;

	uint32_t *names; /* by place of a text: id of the trace's names */
	size_t names_room;
	bool names_long; /* some text is longer than a name may be */

	uint16_t *process_of; /* by id: the trace's process, plus one */
	size_t processes_room, devices_room;
	int64_t rows; /* number of rows that were used */
	int64_t sum_ns[KST_KINDS_END][2]; /* sums of durations so far */
};

/* Adds cells as rows of the trace, after checking that such a row is
 * possible. */

/* Notes a row that is not valid; `of` is its kind. */
static void capture_read_odd(struct capture_read *c, const char *of)
{
	note_add(&c->t->notes, NOTE_row_odd, 1, of, strlen(of));
}

static uint32_t capture_read_text(const struct capture_read *c, int64_t cell)
{
	return cell < 0 ? 0 : c->names[cell];
}

/* The trace's name for a TEXT cell, cut to a name's length or uncut; 0 for a
 * lost text. NAMES_NONE if the arena is full. */
static uint32_t capture_read_name(struct capture_read *c, int64_t cell)
{
	uint32_t id = capture_read_text(c, cell);
	const struct name *n = &c->t->names.list[id];
	if (!c->names_long || n->len <= TEXT_MAX)
		return id;
	return text_put(&c->text, n->text, n->len, TEXT_MAX);
}

/* Makes room for n of `each` in an array that grows; false if the arena is
 * full. */
static bool capture_read_room(struct capture_read *c, void **p, size_t *bytes,
	size_t n, size_t each)
{
	if (n * each <= *bytes)
		return true;
	size_t want = n < 64 ? 64 * each : n * each * 3 / 2;
	void *grown = arena_grow(c->t->arena, *p, want);
	if (!grown)
		return false;
	*p = grown;
	*bytes = want;
	return true;
}

/* The trace's process for an id of the capture file, added if new. False if the
 * arena is full; *process is -1 if no process can have that id. */
static bool capture_read_process(struct capture_read *c, int64_t id,
	int32_t *process)
{
	struct trace *t = c->t;
	*process = -1;
	if (id < 0 || id >= PROCESSES_MAX)
		return true;
	if (c->process_of[id] == 0) {
		if (!capture_read_room(c, (void **)&t->processes,
			    &c->processes_room, t->processes_n + 1,
			    sizeof *t->processes))
			return false;
		t->processes[t->processes_n++] = (struct process){ .pid = -1,
			.rank = -1,
			.world_size = -1 };
		c->process_of[id] = (uint16_t)t->processes_n;
	}
	*process = c->process_of[id] - 1;
	return true;
}

static uint32_t capture_read_rows_shape(struct capture_read *c, int64_t cell)
{
	const struct kst_shape *s = kst_reader_shape(c->r, cell);
	if (cell <= 0)
		return 0;
	struct launch_shape own = { { s->grid[0], s->grid[1], s->grid[2] },
		{ s->block[0], s->block[1], s->block[2] }, s->registers,
		s->shared_bytes };
	return trace_launch_shape(c->t, &own);
}

/* Whether sums over rows of a trace may include this number. */
static bool capture_read_rows_within(int64_t v)
{
	return v >= -1 && v <= TRACE_TIME_MAX_NS;
}

/* Checks the limits of a row that another program computed. */
static bool capture_read_rows_line_can_be(const struct kst_chunk *k, uint32_t i)
{
	bool stat = k->kind == KST_stat;
	for (uint32_t x = 1; x < kst_kind_columns((int)k->kind); x++) {
		enum kst_type type = kst_column_type((int)k->kind, x);
		double d = type == KST_REAL ? k->column[x].d[i] : 0;
		if (type == KST_INT &&
			!capture_read_rows_within(k->column[x].i[i]))
			return false;
		if (!isnan(d) && fabs(d) > (double)TRACE_TIME_MAX_NS)
			return false;
		if (stat && d < 0)
			return false;
	}
	if (!stat)
		return k->column[KST_COLUMN(pattern, interpolated)].i[i] >= 0 &&
		       k->column[KST_COLUMN(pattern, interpolated)].i[i] <= 2 &&
		       k->column[KST_COLUMN(pattern, instances)].i[i] > 0 &&
		       k->column[KST_COLUMN(pattern, dur_ns)].i[i] >= 0;
	return k->column[KST_COLUMN(stat, instances)].i[i] > 0 &&
	       k->column[KST_COLUMN(stat, total_ns)].i[i] >= 0 &&
	       !(k->column[KST_COLUMN(stat, time_pct)].d[i] > 100);
}

/* A fact must be short, because it is shown in a sentence. */
static bool capture_read_rows_fact_can_be(const struct capture_read *c,
	const struct kst_chunk *k, uint32_t i)
{
	enum { NAME_MOST = 100, VALUE_MOST = 1000 };
	int64_t name = k->column[KST_COLUMN(fact, name)].i[i];
	int64_t value = k->column[KST_COLUMN(fact, value)].i[i];
	size_t name_len = 0, value_len = 0;
	return name > 0 && value > 0 &&
	       kst_reader_text(c->r, name, &name_len) &&
	       kst_reader_text(c->r, value, &value_len) && name_len &&
	       name_len <= NAME_MOST && value_len <= VALUE_MOST;
}

/* Checks a node. The name may be missing, because the recorder can be
 * configured to omit it. */
static bool capture_read_rows_node_can_be(const struct kst_chunk *k, uint32_t i)
{
	return k->column[KST_COLUMN(node, node)].i[i] > 0;
}

/* Checks the limits of a row of any kind, so that later steps need no
 * checks. */
static bool capture_read_rows_row_can_be(const struct capture_read *c,
	const struct kst_chunk *k, uint32_t i)
{
	if (k->kind == KST_range) {
		int64_t kind = k->column[KST_COLUMN(range, kind)].i[i];
		return kind >= 0 && kind <= RANGE_LOOSE;
	}
	if (k->kind == KST_fact)
		return capture_read_rows_fact_can_be(c, k, i);
	if (k->kind == KST_node)
		return capture_read_rows_node_can_be(k, i);
	bool line = k->kind == KST_stat || k->kind == KST_pattern;
	return !line || capture_read_rows_line_can_be(k, i);
}

/* The column that readers of this kind of row add up; -1 none. */
static int capture_read_rows_summed(enum kst_kind kind)
{
	if (kind == KST_stat)
		return (int)KST_COLUMN(stat, total_ns);
	if (kind == KST_pattern)
		return (int)KST_COLUMN(pattern, dur_ns);
	return kind == KST_counter || kind == KST_fact || kind == KST_node
		       ? -1
		       : (int)KST_COLUMN(kernel, dur_ns);
}

/* Whether a row's duration is valid, and can be added to the sum of the
 * others. */
static bool capture_read_rows_timely(struct capture_read *c,
	const struct kst_chunk *k, uint32_t i)
{
	int column = capture_read_rows_summed(k->kind);
	if (column < 0)
		return true;
	int64_t dur = k->column[column].i[i];
	bool table = k->kind == KST_stat || k->kind == KST_pattern;
	/* A table over all grids and a table by grid both contain the same
	 * time. */
	bool grid = k->kind == KST_stat &&
		    k->column[KST_COLUMN(stat, launch)].i[i] != 0;
	int64_t *sum = &c->sum_ns[k->kind][grid];
	enum note_code code = NOTE_CODES;
	if (dur < 0 && !table)
		code = NOTE_negative_time;
	else if (dur > TRACE_TIME_MAX_NS - *sum)
		code = NOTE_huge_time;
	if (code == NOTE_CODES) {
		*sum += dur > 0 ? dur : 0;
		return true;
	}
	const char *kind = kst_kind_name((int)k->kind);
	note_add(&c->t->notes, code, 1, kind, strlen(kind));
	return false;
}

/* Rows of facts and nodes alone do not make a trace. */
static bool capture_read_rows_is_record(const struct kst_chunk *k)
{
	return k->kind != KST_fact && k->kind != KST_node;
}

/* Copies a cell to the trace's column; a value that does not fit is odd. */
#define TAKE(field) k->column[offsetof(__typeof__(*from), field) / 8]
#define TAKE_INT(field) \
	odd |= __builtin_add_overflow(TAKE(field).i[i], INT64_C(0), &row.field);
#define TAKE_REAL(field) row.field = TAKE(field).d[i];
#define TAKE_TEXT(field)                                    \
	row.field = capture_read_name(c, TAKE(field).i[i]); \
	full |= row.field == NAMES_NONE;
#define TAKE_NAME(field) TAKE_TEXT(field)
#define TAKE_JSON(field) row.field = capture_read_text(c, TAKE(field).i[i]);
#define TAKE_SHAPE(field)                                         \
	row.field = capture_read_rows_shape(c, TAKE(field).i[i]); \
	full |= row.field == NAMES_NONE;
#define COLUMN(type, field, absent, expected, what) TAKE_##type(field)
#define KIND(kind, COLUMNS, what)                                            \
	static bool kind##_add(struct capture_read *c,                       \
		const struct kst_chunk *k, uint32_t i)                       \
	{                                                                    \
		const struct kst_##kind *from;                               \
		struct kind##_row row = { 0 };                               \
		bool odd = false, full = false;                              \
		int32_t process;                                             \
		KST_##COLUMNS(                                               \
			COLUMN) if (full || !capture_read_process(c,         \
						    k->column[0].i[i],       \
						    &process)) return false; \
		row.process = (uint16_t)process;                             \
		if (!odd && process >= 0) {                                  \
			c->rows += capture_read_rows_is_record(k);           \
			return trace_##kind##_add(c->t, &row);               \
		}                                                            \
		capture_read_odd(c, #kind);                                  \
		return true;                                                 \
	}
TRACE_KINDS(KIND)
TRACE_TABLES(KIND)
#undef KIND
#undef COLUMN

static bool capture_read_rows_add(struct capture_read *c,
	const struct kst_chunk *k, uint32_t i)
{
	switch (k->kind) {
#define KIND(kind, COLUMNS, what) \
	case KST_##kind:          \
		return kind##_add(c, k, i);
		TRACE_KINDS(KIND)
		TRACE_TABLES(KIND)
#undef KIND
	default:
		return true;
	}
}

/* Adds the rows of a chunk to the trace. False if the arena is full. */
static bool capture_read_rows(struct capture_read *c, const struct kst_chunk *k)
{
	for (uint32_t i = 0; i < k->rows; i++) {
		if (!capture_read_rows_row_can_be(c, k, i)) {
			capture_read_odd(c, kst_kind_name((int)k->kind));
			continue;
		}
		if (capture_read_rows_timely(c, k, i) &&
			!capture_read_rows_add(c, k, i))
			return false;
	}
	return true;
}

/* Reads the parts of a capture file that are not rows: processes, devices,
 * notes, drops. */

/* Whether a whole number fits its field in the trace. */
static bool capture_read_fits(int64_t v, int32_t *to)
{
	return !__builtin_add_overflow(v, INT64_C(0), to);
}

/* As capture_read_fits(), for a number that is at least 0, or -1 if unknown. */
static bool capture_read_fits_or_unknown(int64_t v, int32_t *to)
{
	return v >= -1 && capture_read_fits(v, to);
}

#define CELL(kind, field) k->column[KST_COLUMN(kind, field)].i[i]

static bool capture_read_process_add(struct capture_read *c,
	const struct kst_chunk *k, uint32_t i)
{
	struct process p = { .pid = CELL(process, pid),
		.name = capture_read_name(c, CELL(process, name)),
		.host = capture_read_name(c, CELL(process, host)) };
	int32_t process;
	if (p.name == NAMES_NONE || p.host == NAMES_NONE ||
		!capture_read_process(c, CELL(process, id), &process))
		return false;
	if (process >= 0 &&
		capture_read_fits_or_unknown(CELL(process, rank), &p.rank) &&
		capture_read_fits_or_unknown(CELL(process, world_size),
			&p.world_size))
		c->t->processes[process] = p;
	else
		capture_read_odd(c, "process");
	return true;
}

static bool capture_read_device_add(struct capture_read *c,
	const struct kst_chunk *k, uint32_t i)
{
	struct trace *t = c->t;
	struct device d = { .process = -1,
		.name = capture_read_name(c, CELL(device, name)),
		.memory_bytes = CELL(device, memory_bytes),
		.uuid = capture_read_name(c, CELL(device, uuid)),
		.bus_id = capture_read_name(c, CELL(device, bus_id)) };
	int64_t of = CELL(device, process);
	if (d.name == NAMES_NONE || d.uuid == NAMES_NONE ||
		d.bus_id == NAMES_NONE ||
		(of >= 0 && !capture_read_process(c, of, &d.process)))
		return false;
	if (t->devices_n == DEVICES_MAX || (of >= 0 && d.process < 0) ||
		d.memory_bytes < -1 ||
		!capture_read_fits(CELL(device, number), &d.number) ||
		!capture_read_fits_or_unknown(CELL(device, sm_count),
			&d.sm_count) ||
		!capture_read_fits_or_unknown(CELL(device, compute_major),
			&d.compute_major) ||
		!capture_read_fits_or_unknown(CELL(device, compute_minor),
			&d.compute_minor)) {
		capture_read_odd(c, "device");
		return true;
	}
	if (!capture_read_room(c, (void **)&t->devices, &c->devices_room,
		    t->devices_n + 1, sizeof *t->devices))
		return false;
	t->devices[t->devices_n++] = d;
	return true;
}

/* A note from an earlier decoding: its count is kept. */
/* Adds a note with a detail from an earlier decoding, which is not clipped
 * again; the original count is kept. */
static void capture_read_note(struct notes *ns, enum note_code code,
	int64_t count, const char *detail, size_t len)
{
	if (code == NOTE_name_long) {
		ns->count[code] = 0;
		ns->detail[code][0] = '\0';
	}
	if (count > TRACE_TIME_MAX_NS - ns->count[code])
		count = TRACE_TIME_MAX_NS - ns->count[code];
	bool kept = len < sizeof ns->detail[code] && utf8_valid(detail, len);
	for (size_t i = 0; i < len && kept; i++)
		kept = (unsigned char)detail[i] >= 0x20;
	if (kept && !ns->detail[code][0])
		memcpy(ns->detail[code], detail, len);
	note_add(ns, code, count, kept ? NULL : detail, len);
}

static void capture_read_note_detail(struct capture_read *c,
	const struct kst_chunk *k, uint32_t i)
{
	size_t len = 0, name_len = 0;
	const char *name = kst_reader_text(c->r, CELL(note, code), &name_len);
	const char *detail = kst_reader_text(c->r, CELL(note, detail), &len);
	int64_t count = CELL(note, count);
	enum note_code code = name ? note_from(name) : NOTE_CODES;
	if (count <= 0 || !name)
		capture_read_odd(c, "note");
	else if (code == NOTE_CODES)
		note_add(&c->t->notes, NOTE_chunk_unknown, 1, name, name_len);
	else
		capture_read_note(&c->t->notes, code, count,
			detail ? detail : "", len);
}

static void capture_read_dropped(struct capture_read *c,
	const struct kst_chunk *k, uint32_t i)
{
	size_t len = 0;
	const char *where = kst_reader_text(c->r, CELL(drop, where), &len);
	int64_t count = CELL(drop, count);
	if (count < 0)
		capture_read_odd(c, "drop");
	else if (count > 0)
		capture_read_note(&c->t->notes, NOTE_records_dropped, count,
			where ? where : "", len);
}

/* Adds the processes, devices, notes and drops that the rows of a chunk
 * describe. False if the arena is full. */
static bool capture_read_surroundings(struct capture_read *c,
	const struct kst_chunk *k)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < k->rows; i++)
		if (k->kind == KST_process)
			ok = capture_read_process_add(c, k, i);
		else if (k->kind == KST_device)
			ok = capture_read_device_add(c, k, i);
		else if (k->kind == KST_note)
			capture_read_note_detail(c, k, i);
		else if (k->kind == KST_drop)
			capture_read_dropped(c, k, i);
	return ok;
}

static int64_t capture_read_piece(void *ctx, void *to, size_t cap)
{
	struct capture_read *c = ctx;
	struct byte_window *w = c->w;
	if (w->at == w->end && byte_window_more(w, c->e) == WINDOW_ERR)
		return -1;
	size_t n = (size_t)(w->end - w->at);
	n = n < cap ? n : cap;
	memcpy(to, w->at, n);
	w->at += n;
	return (int64_t)n;
}

static void *capture_read_grow(void *ctx, void *p, size_t bytes)
{
	return arena_grow(ctx, p, bytes);
}

static void capture_read_drop(void *ctx, void *p)
{
	arena_drop(ctx, p);
}

/* Adds the texts since the last chunk, in the order of the capture file. */
static bool capture_read_names_add(struct capture_read *c, uint32_t *known)
{
	uint32_t n = (uint32_t)kst_reader_texts(c->r);
	if (!capture_read_room(c, (void **)&c->names, &c->names_room, n,
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

static bool capture_read_chunks(struct capture_read *c)
{
	struct kst_chunk k;
	enum kst_got got;
	uint32_t known = 0;
	bool ok = true;
	while (ok && (got = kst_reader_next(c->r, &k)) == KST_CHUNK)
		ok = capture_read_names_add(c, &known) &&
		     (k.kind < KST_kernel ? capture_read_surroundings(c, &k)
					  : capture_read_rows(c, &k));
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

static void capture_read_damage_note(struct capture_read *c)
{
	const struct kst_damage *d = kst_reader_damage(c->r);
	struct notes *ns = &c->t->notes;
	uint64_t damaged = d->damaged + d->missing + d->repeated;
	uint64_t unknown = d->unknown_chunks + d->unknown_columns;
	bool noted = ns->count[NOTE_truncated] || ns->count[NOTE_damaged] ||
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
		{ NOTE_truncated, d->cut && !noted ? kst_reader_bytes(c->r) : 0,
			NULL },
	};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (list[i].count)
			capture_read_note(ns, list[i].code,
				list[i].count < TRACE_TIME_MAX_NS
					? (int64_t)list[i].count
					: TRACE_TIME_MAX_NS,
				list[i].detail ? list[i].detail : "",
				list[i].detail ? strlen(list[i].detail) : 0);
}

/* The earliest start of an iteration; INT64_MAX if none has a start. */
static int64_t capture_read_first_iteration(const struct pattern_rows *p)
{
	int64_t first = INT64_MAX;
	for (uint32_t i = 0; i < p->n; i++)
		if (p->iteration_start_ns[i] >= 0 &&
			p->iteration_start_ns[i] < first)
			first = p->iteration_start_ns[i];
	return first;
}

/* Shifts the starts of iterations together with the rows. */
static void capture_read_iterations_shift(struct capture_read *c)
{
	struct trace *t = c->t;
	int64_t *at = t->pattern.iteration_start_ns;
	for (uint32_t i = 0; i < t->pattern.n; i++) {
		if (at[i] < 0 ||
			(!__builtin_sub_overflow(at[i], t->base_ns, &at[i]) &&
				at[i] >= 0))
			continue;
		at[i] = -1;
		capture_read_odd(c, "pattern");
	}
}

/* Sets the base so that times count from the first row, as in any trace. The
 * sum of a time and the base must not overflow. */
static void capture_read_base(struct capture_read *c)
{
	const struct kst_about *about = kst_reader_about(c->r);
	struct trace *t = c->t;
	finish_rebase_kept(t, capture_read_first_iteration(&t->pattern));
	capture_read_iterations_shift(c);
	t->base_is_utc = about->base_is_utc == 1;
	if (__builtin_add_overflow(t->base_ns, about->base_ns, &t->base_ns) ||
		t->base_ns > INT64_MAX - 2 * TRACE_TIME_MAX_NS) {
		t->base_ns = 0;
		t->base_is_utc = false;
		capture_read_odd(c, "about");
	}
}

/* A header word of the capture file; NULL if it is absent. */
static const char *capture_read_word(struct capture_read *c, const char *text)
{
	uint32_t id = text_put(&c->text, text, strlen(text), TEXT_MAX);
	return id == NAMES_NONE || id == 0 ? NULL
					   : names_text(&c->t->names, id);
}

static bool capture_read_finish(struct capture_read *c)
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
	if (!finish_drop_idle(t))
		return arena_err(t->arena, c->e);
	if (t->processes_n == 0)
		return err_set(c->e, ERR_TRACE, "the capture holds no record");
	capture_read_base(c);
	capture_read_damage_note(c);
	t->format = capture_read_word(c, about->source);
	if (!t->format)
		t->format = "kst";
	t->framework = capture_read_word(c, about->framework);
	return !t->arena->full || arena_err(t->arena, c->e);
}

bool kst_decode(struct byte_window *w, struct trace *t, struct err *e)
{
	const struct kst_memory memory = { capture_read_grow, capture_read_drop,
		t->arena };
	struct capture_read *c = arena_new(t->arena, struct capture_read);
	if (!c)
		return arena_err(t->arena, e);
	*c = (struct capture_read){ .t = t,
		.w = w,
		.e = e,
		.text = { .trace = t } };
	c->process_of = arena_grow(t->arena, NULL,
		(UINT16_MAX + 1) * sizeof *c->process_of);
	c->r = kst_reader_new(capture_read_piece, c, &memory);
	bool ok = c->process_of && c->r;
	if (ok)
		kst_reader_only(c->r, ~KST_BIT(clock));
	ok = ok ? capture_read_chunks(c) && capture_read_finish(c)
		: arena_err(t->arena, e);
	kst_reader_free(c->r);
	arena_drop(t->arena, c->process_of);
	arena_drop(t->arena, c->names);
	return ok;
}
