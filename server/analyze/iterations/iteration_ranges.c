/* iteration_ranges.c - finds the ranges that mark a run's iterations, and makes
 * windows of GPU time from them.
 *
 * Ranges are grouped by thread and by name without numbers. A range inside
 * another range of its group is recursion and is ignored. A group is ignored if
 * more than a tenth of its ranges cross each other. The launches of a group are
 * the API calls made on any thread while one of its ranges was open, because a
 * backward pass runs on a thread of its own.
 *
 * A group is eligible if it has at least two ranges, if it launched 60 % of the
 * GPU time whose API call is known, and if this is at least a fifth of all GPU
 * time. The outermost eligible group is used: the one with fewest ranges, then
 * with most GPU time, then the longest. Epochs are used only if no other group
 * is eligible. If no group of host ranges is eligible, ranges on the GPU's
 * timeline are used, by the records that ran while they were open.
 *
 * If the name of a group is not that of a step, the group must look like
 * iterations (period_detector.c), because layers and requests have ranges, too.
 * See `passed`.
 *
 * If no group is eligible, a single range is used that launched as much and has
 * the name of a step. Some profilers write one file per step.
 *
 * A record belongs to the iteration whose range was open when the record was
 * launched. If the launch is unknown or between two ranges, the record belongs
 * to the iteration in whose window it starts. A window begins with the first
 * record that its range launched and ends at the start of the next window. The
 * last window ends with its range or with its last record, whichever is later.
 *
 * A range that launched nothing is an iteration, too. Its window begins with
 * its range, but not before the GPU has finished the earlier records, and not
 * after the start of the next iteration. */
#include "iteration_parts.h"
#include "arena.h"
#include "correlation.h"
#include "frame_name.h"
#include <stdint.h>
#include <string.h>
#include <strings.h>

struct iteration_range_group {
	uint32_t name; /* id in names */
	uint32_t thread;
	bool gpu; /* ranges on the GPU's timeline */
	uint32_t from, n; /* places in rows */
	uint32_t crossing; /* how many begin before the previous one has
		ended */
	int64_t launched_ns; /* GPU time launched (or run) while one was open */
	int64_t dur_ns; /* sum of the ranges' durations */
};

struct iteration_range_groups {
	const struct iteration_gpu *g;
	struct arena *arena; /* its size limit applies to `scratch`, too */
	struct arena scratch; /* owns the arrays of this struct */
	struct names names, keys;
	uint32_t *name_of; /* by id of trace.names; id in `names` + 1 */
	uint32_t *group_of; /* by range row of the slice; 0 none */
	uint32_t *rows; /* group by group, by start */
	struct iteration_range_group *groups;
	uint32_t n;
};

/* Names of ranges without their numbers:
 *
 *   ProfilerStep#12                                    → ProfilerStep#*
 *   iteration 7 of 10                                  → iteration * of *
 *   execute_16_context_0(sq0sk0)_generation_16(sq16)   → execute_*_context_*(*)_generation_*(*)
 *   step[DECODE bs=16], step[EXTEND bs=15 toks=15360]  → step[*]
 *   aten::mm, op_id = 871, sizes = [[4, 256]]          → aten::mm (frame_name.h)
 *
 * Brackets that contain a number describe the work of a step, not its position.
 * Their length may differ from step to step. */

static bool iteration_ranges_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

static char iteration_ranges_closing(char c)
{
	return c == '(' ? ')' : c == '[' ? ']' : 0;
}

/* The end of a bracket that opens at `s` and holds a number, or NULL. */
static const char *iteration_ranges_bracket(const char *s, const char *end)
{
	char close = iteration_ranges_closing(*s);
	bool number = false;
	int depth = 0;

	for (const char *p = s; close && p < end; p++) {
		number |= iteration_ranges_digit(*p) || *p == '*';
		depth += *p == *s;
		depth -= *p == close;
		if (depth == 0)
			return number ? p : NULL;
	}
	return NULL;
}

/* In the arena, or a part of `text`; NULL if the arena is full. */
static const char *iteration_ranges_plain_name(struct arena *a,
	const char *text, size_t len, size_t *name_len)
{
	enum frame_kind kind = FRAME_ANNOTATION;
	const char *s, *end, *close;
	size_t n;

	if (!frame_name_from(a, &kind, text, len, &s, &n))
		return NULL;
	char *name = arena_strndup(a, s, n), *to = name;
	if (!name)
		return NULL;
	for (end = s + n; s < end; s++) {
		close = iteration_ranges_bracket(s, end);
		if (close) {
			*to++ = *s;
			*to++ = '*';
			*to++ = *close;
			s = close;
		} else if (!iteration_ranges_digit(*s)) {
			*to++ = *s;
		} else if (s + 1 == end || !iteration_ranges_digit(s[1])) {
			*to++ = '*';
		}
	}
	*to = 0;
	*name_len = (size_t)(to - name);
	return name;
}

/* The next character that is not part of a number's placeholder; 0 at the end.
 * A separator before a number is skipped if nothing follows the number. */
static char iteration_ranges_next_char(const char **s)
{
	while (**s == '*' || !strncmp(*s, "(*)", 3) || !strncmp(*s, "[*]", 3))
		*s += **s == '*' ? 1 : 3;
	if ((*s)[strspn(*s, " _#:-*")] == 0)
		return 0;
	return *(*s)++;
}

/* Whether `given` means ranges of this name, both as
 * iteration_ranges_plain_name() returns them: "ProfilerStep" and
 * "ProfilerStep#*" mean the same. */
static bool iteration_ranges_name_matches(const char *given, const char *name)
{
	char x, y;

	do {
		x = iteration_ranges_next_char(&given);
		y = iteration_ranges_next_char(&name);
	} while (x && x == y);
	return x == y;
}

/* Whether a range's name says that it is a step: ProfilerStep, step, iteration,
 * batch, execute … followed by a number or bracket. */
static bool iteration_ranges_name_is_step(const char *text)
{
	static const char *const words[] = { "ProfilerStep", "step",
		"iteration", "iter", "batch", "execute" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);
		if (strncasecmp(text, words[i], n) != 0)
			continue;
		const char *p = text + n;
		if (*p == '[' || *p == '(')
			return true;
		p += strspn(p, " _#:-");
		if (!strncmp(p, "context_", strlen("context_")))
			p += strlen("context_");
		if (*p == '*' || iteration_ranges_digit(*p))
			return true;
	}
	return false;
}

/* Whether a range's name says that it is an epoch, which contains many
 * steps. */
static bool iteration_ranges_name_is_epoch(const char *text)
{
	return !strncasecmp(text, "epoch", strlen("epoch"));
}

/* A group: annotations of one thread (of all threads for ranges that change
 * threads), of one name without its numbers, without those within another of
 * the group. */

/* What ranges are grouped by; hashed as bytes, so it has no gaps. */
struct iteration_ranges_key {
	uint32_t name, thread, gpu;
};

static int64_t iteration_ranges_end_of(const struct range_rows *r, uint32_t row)
{
	return r->start_ns[row] + r->dur_ns[row];
}

/* A range's name without numbers, as an id in s->names + 1; 0 if the arena is
 * full. */
static uint32_t iteration_ranges_name_of(struct iteration_range_groups *s,
	uint32_t text)
{
	const struct name *n = &s->g->t->names.list[text];
	size_t len;

	if (s->name_of[text])
		return s->name_of[text];
	const char *name =
		iteration_ranges_plain_name(&s->scratch, n->text, n->len, &len);
	uint32_t id = name ? names_put(&s->names, name, len) : NAMES_NONE;
	s->name_of[text] = id + 1;
	return id + 1;
}

/* Assigns each range to its group. */
static bool iteration_ranges_assign(struct iteration_range_groups *s)
{
	const struct range_rows *r = &s->g->t->range;
	struct slice rows = s->g->proc->range;

	for (uint32_t i = rows.from; i < rows.to; i++) {
		enum range_kind kind = r->kind[i];
		bool gpu = kind == RANGE_GPU_ANNOTATION;
		bool loose = kind == RANGE_LOOSE;
		if ((!gpu && !loose && kind != RANGE_ANNOTATION) ||
			!r->dur_ns[i])
			continue;
		uint32_t name = iteration_ranges_name_of(s, r->name[i]);
		struct iteration_ranges_key k = { name - 1,
			loose ? 0 : r->thread[i], gpu };
		uint32_t id =
			name ? names_put(&s->keys, (const char *)&k, sizeof k)
			     : NAMES_NONE;
		if (id == NAMES_NONE)
			return false;
		s->group_of[i - rows.from] = id;
	}
	return true;
}

/* Rows group by group, in order within each. */
static bool iteration_ranges_distribute(struct iteration_range_groups *s)
{
	struct slice rows = s->g->proc->range;
	uint32_t at = 0, n = rows.to - rows.from;
	struct iteration_ranges_key k;

	s->n = s->keys.n - 1;
	s->groups = arena_grow(&s->scratch, NULL,
		((size_t)s->n + 1) * sizeof *s->groups);
	s->rows = arena_grow(&s->scratch, NULL,
		((size_t)n + 1) * sizeof *s->rows);
	if (!s->groups || !s->rows)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (s->group_of[i])
			s->groups[s->group_of[i] - 1].n++;
	for (uint32_t i = 0; i < s->n; i++) {
		struct iteration_range_group *w = &s->groups[i];
		memcpy(&k, names_text(&s->keys, i + 1), sizeof k);
		uint32_t own = w->n;
		*w = (struct iteration_range_group){ .name = k.name,
			.thread = k.thread,
			.gpu = k.gpu,
			.from = at };
		at += own;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!s->group_of[i])
			continue;
		struct iteration_range_group *w =
			&s->groups[s->group_of[i] - 1];
		s->rows[w->from + w->n++] = rows.from + i;
	}
	return true;
}

/* Removes ranges that are inside another range of the group. */
static void iteration_ranges_drop_nested(struct iteration_range_groups *s,
	struct iteration_range_group *w)
{
	const struct range_rows *r = &s->g->t->range;
	uint32_t *rows = s->rows + w->from, kept = 0;

	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t row = rows[i], last = kept ? rows[kept - 1] : 0;
		if (kept && iteration_ranges_end_of(r, row) <=
				    iteration_ranges_end_of(r, last))
			continue;
		if (kept && r->start_ns[row] == r->start_ns[last])
			kept--;
		else
			w->crossing += kept &&
				       r->start_ns[row] <
					       iteration_ranges_end_of(r, last);
		rows[kept++] = row;
	}
	w->n = kept;
}

/* The end of the i-th of n ranges in order: its own, or the start of the next
 * if that is earlier. */
static int64_t iteration_ranges_end(const struct range_rows *r,
	const uint32_t *row, uint32_t n, uint32_t i)
{
	int64_t end = iteration_ranges_end_of(r, row[i]);

	return i + 1 < n && r->start_ns[row[i + 1]] < end
		       ? r->start_ns[row[i + 1]]
		       : end;
}

static void iteration_ranges_weigh(struct iteration_range_groups *s,
	struct iteration_range_group *w)
{
	const struct range_rows *r = &s->g->t->range;
	const struct iteration_gpu_clock *clock =
		w->gpu ? &s->g->run : &s->g->called;
	const uint32_t *rows = s->rows + w->from;

	for (uint32_t i = 0; i < w->n; i++) {
		int64_t from = r->start_ns[rows[i]];
		int64_t to = iteration_ranges_end(r, rows, w->n, i);
		w->dur_ns += to - from;
		w->launched_ns += iteration_gpu_clock_ns(clock, from, to);
	}
}

static bool iteration_ranges_group(struct iteration_range_groups *s)
{
	struct slice rows = s->g->proc->range;
	struct arena *a = &s->scratch;

	s->name_of = arena_grow(a, NULL,
		(size_t)s->g->t->names.n * sizeof *s->name_of);
	s->group_of = arena_grow(a, NULL,
		((size_t)(rows.to - rows.from) + 1) * sizeof *s->group_of);
	return s->name_of && s->group_of && names_init(&s->names, a) &&
	       names_init(&s->keys, a) && iteration_ranges_assign(s) &&
	       iteration_ranges_distribute(s);
}

/* Fills the groups. False if the arena is full. Release in any case, which
 * reports a full scratch arena to `a`. */
static bool iteration_ranges_groups_init(struct iteration_range_groups *s,
	const struct iteration_gpu *g, struct arena *a)
{
	*s = (struct iteration_range_groups){ .g = g,
		.arena = a,
		.scratch = arena_scratch(a) };
	if (!iteration_ranges_group(s))
		return false;
	for (uint32_t i = 0; i < s->n; i++) {
		iteration_ranges_drop_nested(s, &s->groups[i]);
		iteration_ranges_weigh(s, &s->groups[i]);
	}
	return true;
}

static void iteration_ranges_groups_release(struct iteration_range_groups *s)
{
	arena_scratch_release(&s->scratch, s->arena);
}

static const char *
iteration_ranges_group_name(const struct iteration_range_groups *s,
	const struct iteration_range_group *w)
{
	return names_text(&s->names, w->name);
}

/* The number of repeating names that an error lists. */
enum { NAMES_LISTED = 5 };

/* Whether a group contains most of the GPU time whose launch is known. */
static bool iteration_ranges_holds_most(const struct iteration_range_groups *s,
	const struct iteration_range_group *w)
{
	const struct iteration_gpu_clock *c =
		w->gpu ? &s->g->run : &s->g->called;
	int64_t known = c->before_ns[c->rows.to - c->rows.from];

	return w->launched_ns > 0 && w->launched_ns * 10 >= known * 6 &&
	       known * 5 >= s->g->total_ns && w->crossing <= w->n / 10;
}

static bool iteration_ranges_outer(const struct iteration_range_groups *s,
	const struct iteration_range_group *w,
	const struct iteration_range_group *than)
{
	bool epoch = iteration_ranges_name_is_epoch(
		iteration_ranges_group_name(s, w));

	if (epoch != iteration_ranges_name_is_epoch(
			     iteration_ranges_group_name(s, than)))
		return !epoch;
	if (w->n != than->n)
		return w->n < than->n;
	if (w->launched_ns != than->launched_ns)
		return w->launched_ns > than->launched_ns;
	return w->dur_ns > than->dur_ns;
}

static bool iteration_ranges_eligible(const struct iteration_range_groups *s,
	const struct iteration_range_group *w, bool gpu, bool single)
{
	return w->gpu == gpu && (w->n == 1) == single &&
	       iteration_ranges_holds_most(s, w) &&
	       (!single || iteration_ranges_name_is_step(
				   iteration_ranges_group_name(s, w)));
}

/* The best group: first groups of several ranges on the host, then on the GPU;
 * then single steps on the host, then on the GPU. Skipped groups have no ranges
 * left. */
static struct iteration_range_group *iteration_ranges_best(
	const struct iteration_range_groups *s)
{
	struct iteration_range_group *found = NULL;

	for (int way = 0; way < 4 && !found; way++)
		for (uint32_t i = 0; i < s->n; i++) {
			struct iteration_range_group *w = &s->groups[i];
			if (iteration_ranges_eligible(s, w, way % 2,
				    way >= 2) &&
				(!found || iteration_ranges_outer(s, w, found)))
				found = w;
		}
	return found;
}

static bool iteration_ranges_take(const struct iteration_range_groups *s,
	const struct iteration_range_group *w, struct arena *a,
	struct iteration_ranges *out)
{
	*out = (struct iteration_ranges){ 0 };
	if (!w)
		return true;
	out->row = arena_grow(a, NULL, w->n * sizeof *out->row);
	out->name = arena_strdup(a, iteration_ranges_group_name(s, w));
	if (!out->row || !out->name)
		return false;
	memcpy(out->row, s->rows + w->from, w->n * sizeof *out->row);
	out->n = w->n;
	out->gpu = w->gpu;
	out->step = iteration_ranges_name_is_step(out->name);
	return true;
}

bool iteration_ranges_find(const struct iteration_gpu *g, uint32_t passed,
	struct arena *a, struct iteration_ranges *out)
{
	struct iteration_range_groups s;
	struct iteration_range_group *found = NULL;
	bool ok = iteration_ranges_groups_init(&s, g, a);

	if (ok)
		found = iteration_ranges_best(&s);
	for (; found && passed; passed--) {
		found->n = 0;
		found->launched_ns = 0;
		found = iteration_ranges_best(&s);
	}
	ok = ok && iteration_ranges_take(&s, found, a, out);
	iteration_ranges_groups_release(&s);
	return ok;
}

/* Whether a range of the group has this very name. */
static bool iteration_ranges_has_name(const struct iteration_range_groups *s,
	const struct iteration_range_group *w, const char *name)
{
	const struct trace *t = s->g->t;
	uint32_t id = names_find(&t->names, name, strlen(name));

	for (uint32_t i = 0; id != NAMES_NONE && i < w->n; i++)
		if (t->range.name[s->rows[w->from + i]] == id)
			return true;
	return false;
}

/* Groups on the host precede those on the GPU; then the group that launched
 * most, then the one with the most ranges. */
static bool iteration_ranges_likelier(const struct iteration_range_group *w,
	const struct iteration_range_group *than)
{
	if (w->gpu != than->gpu)
		return !w->gpu;
	if (w->launched_ns != than->launched_ns)
		return w->launched_ns > than->launched_ns;
	return w->n > than->n;
}

/* "a, b, c": names that repeat, those that hold most first. */
static const char *iteration_ranges_repeating(
	const struct iteration_range_groups *s, struct arena *a)
{
	const char *text = NULL;
	bool *listed = arena_array(a, bool, (size_t)s->names.n + 1);

	for (int n = 0; listed && n < NAMES_LISTED; n++) {
		const struct iteration_range_group *next = NULL;
		for (uint32_t i = 0; i < s->n; i++) {
			const struct iteration_range_group *w = &s->groups[i];
			if (w->n > 1 && !listed[w->name] &&
				(!next || iteration_ranges_likelier(w, next)))
				next = w;
		}
		if (!next)
			break;
		listed[next->name] = true;
		text = arena_printf(a, "%s%s%.60s", text ? text : "",
			text ? ", " : "", iteration_ranges_group_name(s, next));
	}
	return text;
}

static bool iteration_ranges_not_found(struct iteration_range_groups *s,
	const char *given, struct err *e)
{
	struct arena a = { 0 };
	const char *others = iteration_ranges_repeating(s, &a);

	if (others)
		err_set(e, ERR_NOT_FOUND,
			"the run has no ranges named '%.60s'; some that "
			"repeat: %s",
			given, others);
	else
		err_set(e, ERR_NOT_FOUND,
			"the run has no ranges named '%.60s', and none that "
			"repeat",
			given);
	arena_release(&a);
	return false;
}

static bool iteration_ranges_by_name(struct iteration_range_groups *s,
	const char *given, struct arena *a, struct iteration_ranges *out,
	struct err *e)
{
	const struct iteration_range_group *found = NULL;
	size_t len;
	const char *plain = iteration_ranges_plain_name(&s->scratch, given,
		strlen(given), &len);

	if (!plain)
		return false;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct iteration_range_group *w = &s->groups[i];
		if (w->n &&
			(iteration_ranges_has_name(s, w, given) ||
				iteration_ranges_name_matches(plain,
					iteration_ranges_group_name(s, w))) &&
			(!found || iteration_ranges_likelier(w, found)))
			found = w;
	}
	if (!found)
		return iteration_ranges_not_found(s, given, e);
	return iteration_ranges_take(s, found, a, out);
}

bool iteration_ranges_named(const struct iteration_gpu *g, const char *given,
	struct arena *a, struct iteration_ranges *out, struct err *e)
{
	struct iteration_range_groups s;
	bool ok = iteration_ranges_groups_init(&s, g, a) &&
		  iteration_ranges_by_name(&s, given, a, out, e);

	iteration_ranges_groups_release(&s);
	return ok || (e->code ? false : arena_err(a, e));
}

struct iteration_ranges_windows {
	struct iteration_gpu *g;
	const struct iteration_ranges *r;
	int64_t *first, *last; /* the GPU's, by iteration; first > last: none */
};

/* The last range that began at or before this moment, or ITERATION_NONE. */
static uint32_t iteration_ranges_begun(const struct iteration_ranges_windows *m,
	int64_t at_ns)
{
	const int64_t *start_ns = m->g->t->range.start_ns;
	uint32_t from = 0, to = m->r->n;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (start_ns[m->r->row[middle]] <= at_ns)
			from = middle + 1;
		else
			to = middle;
	}
	return from ? from - 1 : ITERATION_NONE;
}

static uint32_t iteration_ranges_open_at(const struct iteration_ranges_windows
						 *m,
	int64_t at_ns)
{
	uint32_t i = iteration_ranges_begun(m, at_ns);
	bool within = i != ITERATION_NONE &&
		      at_ns < iteration_ranges_end(&m->g->t->range, m->r->row,
				      m->r->n, i);
	return within ? i : ITERATION_NONE;
}

static void iteration_ranges_launched_in(struct iteration_ranges_windows *m,
	struct iteration_gpu_rows *k)
{
	for (uint32_t i = k->rows.from; i < k->rows.to; i++) {
		uint32_t at = i - k->rows.from, call = k->call_of[at];
		if (!m->r->gpu && call == CORRELATION_NONE)
			continue;
		uint32_t c = iteration_ranges_open_at(m,
			m->r->gpu ? k->start_ns[i]
				  : m->g->t->call.start_ns[call]);
		k->iteration[at] = c;
		if (c == ITERATION_NONE)
			continue;
		int64_t end = k->start_ns[i] + k->dur_ns[i];
		if (k->start_ns[i] < m->first[c])
			m->first[c] = k->start_ns[i];
		if (end > m->last[c])
			m->last[c] = end;
	}
}

static void iteration_ranges_window_starts(struct iteration_ranges_windows *m,
	struct iterations *out)
{
	const struct range_rows *r = &m->g->t->range;
	uint32_t n = m->r->n;
	int64_t next = INT64_MAX, busy = INT64_MIN, before = INT64_MIN;

	/* The next iteration's first record, for those that have none. */
	for (uint32_t i = n; i-- > 0;) {
		if (m->last[i] != INT64_MIN)
			next = m->first[i];
		else
			m->first[i] = next;
	}
	for (uint32_t i = 0; i < n; i++) {
		int64_t start = m->first[i];
		if (m->last[i] == INT64_MIN) {
			int64_t host = r->start_ns[m->r->row[i]];
			host = host < busy ? busy : host;
			start = host < start ? host : start;
		}
		if (start < before)
			start = before;
		before = start;
		busy = m->last[i] > busy ? m->last[i] : busy;
		out->iterations[i] = (struct iteration){ .number = i,
			.start_ns = start,
			.label = names_text(&m->g->t->names,
				r->name[m->r->row[i]]) };
	}
}

static void iteration_ranges_window_ends(const struct iteration_ranges_windows
						 *m,
	struct iterations *out)
{
	struct iteration *c = out->iterations;
	uint32_t last = m->r->n - 1;
	int64_t end =
		iteration_ranges_end(&m->g->t->range, m->r->row, m->r->n, last);

	for (uint32_t i = 0; i < last; i++)
		c[i].dur_ns = c[i + 1].start_ns - c[i].start_ns;
	end = m->last[last] > end ? m->last[last] : end;
	c[last].dur_ns = end > c[last].start_ns ? end - c[last].start_ns : 0;
}

bool iteration_ranges_windows(struct iteration_gpu *g,
	const struct iteration_ranges *r, struct arena *a,
	struct iterations *out)
{
	struct iteration_ranges_windows m = { .g = g, .r = r };

	m.first = arena_grow(a, NULL, r->n * sizeof *m.first);
	m.last = arena_grow(a, NULL, r->n * sizeof *m.last);
	out->iterations = arena_array(a, struct iteration, r->n);
	bool ok = m.first && m.last && out->iterations;
	if (ok) {
		out->n = r->n;
		for (uint32_t i = 0; i < r->n; i++) {
			m.first[i] = INT64_MAX;
			m.last[i] = INT64_MIN;
		}
		for (int k = 0; k < ITERATION_GPU_KINDS; k++)
			iteration_ranges_launched_in(&m, &g->kind[k]);
		iteration_ranges_window_starts(&m, out);
		iteration_ranges_window_ends(&m, out);
		iteration_gpu_claim(g, out);
	}
	arena_drop(a, m.first);
	arena_drop(a, m.last);
	return ok;
}
