/* capture_rows.c - cells become rows of the trace, if a row can be so. */
#include "capture.h"

void capture_odd(struct capture *c, const char *of)
{
	note_add(&c->t->notes, NOTE_row_odd, 1, of, strlen(of));
}

uint32_t capture_text(const struct capture *c, int64_t cell)
{
	return cell < 0 ? 0 : c->names[cell];
}

uint32_t capture_name(struct capture *c, int64_t cell)
{
	uint32_t id = capture_text(c, cell);
	const struct name *n = &c->t->names.list[id];
	if (!c->names_long || n->len <= TEXT_MAX)
		return id;
	return text_put(&c->text, n->text, n->len, TEXT_MAX);
}

static uint32_t shape(struct capture *c, int64_t cell)
{
	const struct kst_shape *s = kst_reader_shape(c->r, cell);
	if (cell <= 0)
		return 0;
	struct launch_shape own = { { s->grid[0], s->grid[1], s->grid[2] },
		{ s->block[0], s->block[1], s->block[2] }, s->registers,
		s->shared_bytes };
	return trace_launch_shape(c->t, &own);
}

/* Whether a number is one that sums of a trace may hold. */
static bool within(int64_t v)
{
	return v >= -1 && v <= TRACE_TIME_MAX_NS;
}

/* What a line that somebody else computed must keep to. */
static bool line_can_be(const struct kst_chunk *k, uint32_t i)
{
	bool stat = k->kind == KST_stat;
	for (uint32_t x = 1; x < kst_kind_columns((int)k->kind); x++) {
		enum kst_type type = kst_column_type((int)k->kind, x);
		double d = type == KST_REAL ? k->column[x].d[i] : 0;
		if (type == KST_INT && !within(k->column[x].i[i]))
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

/* A fact is short: it is shown in a sentence. */
static bool fact_can_be(const struct capture *c, const struct kst_chunk *k,
	uint32_t i)
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

/* The name may be missing: whoever recorded may have been told to drop it. */
static bool node_can_be(const struct kst_chunk *k, uint32_t i)
{
	return k->column[KST_COLUMN(node, node)].i[i] > 0;
}

/* What a row of any kind must keep to, so that analyses need not ask. */
static bool row_can_be(const struct capture *c, const struct kst_chunk *k,
	uint32_t i)
{
	if (k->kind == KST_range) {
		int64_t kind = k->column[KST_COLUMN(range, kind)].i[i];
		return kind >= 0 && kind <= RANGE_LOOSE;
	}
	if (k->kind == KST_fact)
		return fact_can_be(c, k, i);
	if (k->kind == KST_node)
		return node_can_be(k, i);
	bool line = k->kind == KST_stat || k->kind == KST_pattern;
	return !line || line_can_be(k, i);
}

/* The column whose cells are summed up by those who read a kind; -1 none. */
static int summed(enum kst_kind kind)
{
	if (kind == KST_stat)
		return (int)KST_COLUMN(stat, total_ns);
	if (kind == KST_pattern)
		return (int)KST_COLUMN(pattern, dur_ns);
	return kind == KST_counter || kind == KST_fact || kind == KST_node
		       ? -1
		       : (int)KST_COLUMN(kernel, dur_ns);
}

/* Whether a row's duration is one, and adds to the others'. */
static bool timely(struct capture *c, const struct kst_chunk *k, uint32_t i)
{
	int column = summed(k->kind);
	if (column < 0)
		return true;
	int64_t dur = k->column[column].i[i];
	bool table = k->kind == KST_stat || k->kind == KST_pattern;
	/* A table of all grids and one by grid tell the same time twice. */
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

/* Surroundings alone make no trace. */
static bool is_record(const struct kst_chunk *k)
{
	return k->kind != KST_fact && k->kind != KST_node;
}

/* A cell as the trace's column has it; what does not fit is odd. */
#define TAKE(field) k->column[offsetof(__typeof__(*from), field) / 8]
#define TAKE_INT(field) \
	odd |= __builtin_add_overflow(TAKE(field).i[i], INT64_C(0), &row.field);
#define TAKE_REAL(field) row.field = TAKE(field).d[i];
#define TAKE_TEXT(field)                               \
	row.field = capture_name(c, TAKE(field).i[i]); \
	full |= row.field == NAMES_NONE;
#define TAKE_NAME(field) TAKE_TEXT(field)
#define TAKE_JSON(field) row.field = capture_text(c, TAKE(field).i[i]);
#define TAKE_SHAPE(field)                       \
	row.field = shape(c, TAKE(field).i[i]); \
	full |= row.field == NAMES_NONE;
#define COLUMN(type, field, absent, expected, what) TAKE_##type(field)
#define KIND(kind, COLUMNS, what)                                            \
	static bool kind##_add(struct capture *c, const struct kst_chunk *k, \
		uint32_t i)                                                  \
	{                                                                    \
		const struct kst_##kind *from;                               \
		struct kind##_row row = { 0 };                               \
		bool odd = false, full = false;                              \
		int32_t process;                                             \
		KST_##COLUMNS(                                               \
			COLUMN) if (full ||                                  \
				    !capture_process(c, k->column[0].i[i],   \
					    &process)) return false;         \
		row.process = (uint16_t)process;                             \
		if (!odd && process >= 0) {                                  \
			c->rows += is_record(k);                             \
			return trace_##kind##_add(c->t, &row);               \
		}                                                            \
		capture_odd(c, #kind);                                       \
		return true;                                                 \
	}
TRACE_KINDS(KIND)
TRACE_TABLES(KIND)
#undef KIND
#undef COLUMN

static bool add(struct capture *c, const struct kst_chunk *k, uint32_t i)
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

bool capture_rows(struct capture *c, const struct kst_chunk *k)
{
	for (uint32_t i = 0; i < k->rows; i++) {
		if (!row_can_be(c, k, i)) {
			capture_odd(c, kst_kind_name((int)k->kind));
			continue;
		}
		if (timely(c, k, i) && !add(c, k, i))
			return false;
	}
	return true;
}
