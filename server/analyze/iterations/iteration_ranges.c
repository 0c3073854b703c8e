/* iteration_ranges.c - of groups of ranges, the one that is the cycles. */
#include "iteration_ranges.h"
#include "cycle_groups.h"
#include "cycle_name.h"
#include <string.h>

/* How many names that repeat a failure tells. */
enum { TOLD = 5 };

/* Whether a group holds most of what its clock knows of. */
static bool holds(const struct cycle_groups *s, const struct cycle_group *w)
{
	const struct cycle_clock *c = w->gpu ? &s->g->run : &s->g->called;
	int64_t known = c->before_ns[c->rows.to - c->rows.from];

	return w->held_ns > 0 && w->held_ns * 10 >= known * 6 &&
	       known * 5 >= s->g->total_ns && w->crossing <= w->n / 10;
}

static bool outer(const struct cycle_groups *s, const struct cycle_group *w,
	const struct cycle_group *than)
{
	bool epoch = cycle_name_is_epoch(cycle_groups_name(s, w));

	if (epoch != cycle_name_is_epoch(cycle_groups_name(s, than)))
		return !epoch;
	if (w->n != than->n)
		return w->n < than->n;
	if (w->held_ns != than->held_ns)
		return w->held_ns > than->held_ns;
	return w->dur_ns > than->dur_ns;
}

static bool eligible(const struct cycle_groups *s, const struct cycle_group *w,
	bool gpu, bool single)
{
	return w->gpu == gpu && (w->n == 1) == single && holds(s, w) &&
	       (!single || cycle_name_is_step(cycle_groups_name(s, w)));
}

/* Repeating groups of the host, then the GPU's; then single steps likewise.
 * Those passed have no ranges left. */
static struct cycle_group *best(const struct cycle_groups *s)
{
	struct cycle_group *found = NULL;

	for (int way = 0; way < 4 && !found; way++)
		for (uint32_t i = 0; i < s->n; i++) {
			struct cycle_group *w = &s->groups[i];
			if (eligible(s, w, way % 2, way >= 2) &&
				(!found || outer(s, w, found)))
				found = w;
		}
	return found;
}

static bool take(const struct cycle_groups *s, const struct cycle_group *w,
	struct arena *a, struct cycle_ranges *out)
{
	*out = (struct cycle_ranges){ 0 };
	if (!w)
		return true;
	out->row = arena_grow(a, NULL, w->n * sizeof *out->row);
	out->name = arena_strdup(a, cycle_groups_name(s, w));
	if (!out->row || !out->name)
		return false;
	memcpy(out->row, s->rows + w->from, w->n * sizeof *out->row);
	out->n = w->n;
	out->gpu = w->gpu;
	out->step = cycle_name_is_step(out->name);
	return true;
}

bool cycle_ranges_find(const struct cycle_gpu *g, uint32_t passed,
	struct arena *a, struct cycle_ranges *out)
{
	struct cycle_groups s;
	struct cycle_group *found = NULL;
	bool ok = cycle_groups_init(&s, g, a);

	if (ok)
		found = best(&s);
	for (; found && passed; passed--) {
		found->n = 0;
		found->held_ns = 0;
		found = best(&s);
	}
	ok = ok && take(&s, found, a, out);
	cycle_groups_release(&s);
	return ok;
}

/* Whether a range of the group has this very name. */
static bool has(const struct cycle_groups *s, const struct cycle_group *w,
	const char *name)
{
	const struct trace *t = s->g->t;
	uint32_t id = names_find(&t->names, name, strlen(name));

	for (uint32_t i = 0; id != NAMES_NONE && i < w->n; i++)
		if (t->range.name[s->rows[w->from + i]] == id)
			return true;
	return false;
}

/* The host's before the GPU's, then what launched most, then the most. */
static bool likelier(const struct cycle_group *w,
	const struct cycle_group *than)
{
	if (w->gpu != than->gpu)
		return !w->gpu;
	if (w->held_ns != than->held_ns)
		return w->held_ns > than->held_ns;
	return w->n > than->n;
}

/* "a, b, c": names that repeat, those that hold most first. */
static const char *repeating(const struct cycle_groups *s, struct arena *a)
{
	const char *text = NULL;
	bool *told = arena_array(a, bool, (size_t)s->names.n + 1);

	for (int n = 0; told && n < TOLD; n++) {
		const struct cycle_group *next = NULL;
		for (uint32_t i = 0; i < s->n; i++) {
			const struct cycle_group *w = &s->groups[i];
			if (w->n > 1 && !told[w->name] &&
				(!next || likelier(w, next)))
				next = w;
		}
		if (!next)
			break;
		told[next->name] = true;
		text = arena_printf(a, "%s%s%.60s", text ? text : "",
			text ? ", " : "", cycle_groups_name(s, next));
	}
	return text;
}

static bool none(struct cycle_groups *s, const char *asked, struct err *e)
{
	struct arena a = { 0 };
	const char *others = repeating(s, &a);

	if (others)
		err_set(e, ERR_NOT_FOUND,
			"the run has no ranges named '%.60s'; some that "
			"repeat: %s",
			asked, others);
	else
		err_set(e, ERR_NOT_FOUND,
			"the run has no ranges named '%.60s', and none that "
			"repeat",
			asked);
	arena_release(&a);
	return false;
}

static bool named(struct cycle_groups *s, const char *asked, struct arena *a,
	struct cycle_ranges *out, struct err *e)
{
	const struct cycle_group *found = NULL;
	size_t len;
	const char *plain = cycle_name(&s->scratch, asked, strlen(asked), &len);

	if (!plain)
		return false;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct cycle_group *w = &s->groups[i];
		if (w->n &&
			(has(s, w, asked) ||
				cycle_name_means(plain,
					cycle_groups_name(s, w))) &&
			(!found || likelier(w, found)))
			found = w;
	}
	if (!found)
		return none(s, asked, e);
	return take(s, found, a, out);
}

bool cycle_ranges_named(const struct cycle_gpu *g, const char *asked,
	struct arena *a, struct cycle_ranges *out, struct err *e)
{
	struct cycle_groups s;
	bool ok = cycle_groups_init(&s, g, a) && named(&s, asked, a, out, e);

	cycle_groups_release(&s);
	return ok || (e->code ? false : arena_err(a, e));
}
