/* cycle_cut.c - sections counted, held against each other and the whole. */
#include "cycle_cut.h"
#include "sort.h"
#include <stdlib.h>
#include <string.h>

struct slice cycle_cut_section(const struct cycle_seq *s,
	const struct cycle_cut *c, uint32_t i)
{
	return (struct slice){ s->main[c->at[i]],
		i + 1 < c->n ? s->main[c->at[i + 1]] : s->n };
}

static struct slice section(const struct cycle_judge *j,
	const struct cycle_cut *c, uint32_t i)
{
	return cycle_cut_section(j->s, c, i);
}

/* In how many of the whole sections a cycle's names are. */
static uint32_t enough(uint32_t whole)
{
	return whole - whole / 10;
}

bool cycle_judge_init(struct cycle_judge *j, const struct cycle_seq *s,
	uint32_t most, struct arena *a)
{
	size_t names = (size_t)s->names_n + 1;

	*j = (struct cycle_judge){ .s = s,
		.count = arena_grow(a, NULL, names * sizeof *j->count),
		.before = arena_grow(a, NULL, names * sizeof *j->before),
		.sections = arena_grow(a, NULL, names * sizeof *j->sections),
		.seen = arena_grow(a, NULL, names * sizeof *j->seen),
		.like = arena_grow(a, NULL,
			((size_t)most + 1) * sizeof *j->like),
		.odd = arena_grow(a, NULL,
			((size_t)most + 1) * sizeof *j->odd) };
	return j->count && j->before && j->sections && j->seen && j->like &&
	       j->odd;
}

/* Counts a stretch into `count`. */
static void add(const struct cycle_judge *j, struct slice r, uint32_t *count)
{
	for (uint32_t i = r.from; i < r.to; i++)
		count[j->s->name[i]]++;
}

static void take_out(const struct cycle_judge *j, struct slice r,
	uint32_t *count)
{
	for (uint32_t i = r.from; i < r.to; i++)
		count[j->s->name[i]] = 0;
}

/* The weighted Jaccard index of a stretch and what `count` holds of another
 * of `size` launches. */
static double likeness(struct cycle_judge *j, struct slice r,
	const uint32_t *count, uint32_t size)
{
	uint32_t common = 0, own = r.to - r.from;

	for (uint32_t i = r.from; i < r.to; i++) {
		uint32_t name = j->s->name[i];
		common += j->before[name]++ < count[name];
	}
	take_out(j, r, j->before);
	return own + size ? common / (double)(own + size - common) : 0;
}

/* Whether sections are like their neighbours; tells if the tail is one. */
static bool alike(struct cycle_judge *j, struct cycle_cut *c)
{
	double sum = 0;

	c->tail = false;
	for (uint32_t i = 0; i + 1 < c->n; i++) {
		struct slice r = section(j, c, i), next = section(j, c, i + 1);
		add(j, r, j->count);
		j->like[i] = likeness(j, next, j->count, r.to - r.from);
		take_out(j, r, j->count);
	}
	uint32_t pairs = c->n - 1;
	c->tail = j->like[pairs - 1] >= 0.9;
	pairs -= !c->tail;
	if (!pairs)
		return false;
	for (uint32_t i = 0; i < pairs; i++)
		sum += j->like[i];
	sort_double(j->like, pairs);
	return sum >= 0.7 * pairs && j->like[pairs / 2] >= 0.9;
}

/* How many sections have each name; whole ones alone. */
static void spread(struct cycle_judge *j, const struct cycle_cut *c,
	uint32_t whole)
{
	size_t bytes = ((size_t)j->s->names_n + 1) * sizeof *j->seen;

	memset(j->seen, 0, bytes);
	memset(j->sections, 0, bytes);
	for (uint32_t i = 0; i < whole; i++) {
		struct slice r = section(j, c, i);
		for (uint32_t k = r.from; k < r.to; k++) {
			uint32_t name = j->s->name[k];
			j->sections[name] += j->seen[name] != i + 1;
			j->seen[name] = i + 1;
		}
	}
}

/* What of a run is foreign to its cycles. */
struct foreign {
	uint32_t names, of_names, launches;
	int64_t ns;
	bool outside; /* in the head or tail */
};

/* Names count once, by their first place. */
static struct foreign foreign(struct cycle_judge *j, const struct cycle_cut *c,
	uint32_t whole)
{
	const struct cycle_seq *s = j->s;
	uint32_t head_end = section(j, c, 0).from;
	uint32_t first_end = section(j, c, 0).to;
	uint32_t last_end = section(j, c, whole - 1).to;
	struct foreign f = { 0 };

	memset(j->seen, 0, ((size_t)s->names_n + 1) * sizeof *j->seen);
	/* From the back, so that the last place of a name is met first. */
	for (uint32_t i = s->n; i-- > 0;) {
		uint32_t name = s->name[i];
		bool own = j->sections[name] >= enough(whole);
		bool met = j->seen[name];
		bool warming =
			whole >= 4 && !own && i >= head_end && i < first_end;
		j->seen[name] = 1;
		if (!met && !(warming && j->sections[name] == 1)) {
			f.of_names++;
			f.names += !own;
		}
		if (own)
			continue;
		f.launches++;
		f.ns += s->dur_ns[i];
		f.outside |= i < head_end || i >= last_end;
	}
	return f;
}

/* Whether three quarters of a section are made of what repeats in it: each
 * launch of the same name as one a fixed distance ahead. */
static bool nested(const struct cycle_judge *j, struct slice r)
{
	const uint32_t *name = j->s->name + r.from;
	uint32_t n = r.to - r.from;

	for (uint32_t lag = 2; lag <= n / 4 && lag <= 512; lag++) {
		uint32_t same = 0, of = n - lag;
		for (uint32_t i = 0; i < of; i++) {
			same += name[i] == name[i + lag];
			if (i >= 64 && same * 2 < i)
				break;
		}
		if (same >= of / 4 * 3)
			return true;
	}
	return false;
}

static bool closed(struct cycle_judge *j, const struct cycle_cut *c,
	uint32_t whole)
{
	spread(j, c, whole);
	struct foreign f = foreign(j, c, whole);
	if (!f.outside && f.names * 5 <= f.of_names &&
		f.launches <= j->s->n / 10)
		return true;
	if (f.launches <= j->s->n / 200 && f.ns <= j->s->total_ns / 200)
		return true;
	return f.launches <= j->s->n / 20 && f.ns <= j->s->total_ns / 10 &&
	       nested(j, section(j, c, whole / 2));
}

/* The section that most are equal to, or of median length. */
static uint32_t typical(const struct cycle_judge *j, const struct cycle_cut *c,
	uint32_t whole)
{
	uint32_t best = 0, votes = 0;

	/* Whoever has the majority of lengths is left over. */
	for (uint32_t i = 0; i < whole; i++) {
		struct slice r = section(j, c, i), b = section(j, c, best);
		if (!votes)
			best = i;
		votes += !votes || r.to - r.from == b.to - b.from ? 1 : -1u;
	}
	return best;
}

/* Whether unlike sections come back every `lag`; four of five do. */
static bool comes_back(const bool *odd, uint32_t whole, uint32_t lag)
{
	uint32_t hits = 0, of = 0;

	for (uint32_t i = 0; i + lag < whole; i++) {
		of += odd[i];
		hits += odd[i] && odd[i + lag];
	}
	return hits && hits * 5 >= of * 4;
}

/* The distance at which unlike sections come back, if they do: that between
 * two of the first ones. */
static void above(struct cycle_judge *j, struct cycle_cut *c, uint32_t whole)
{
	struct slice most = section(j, c, typical(j, c, whole));
	uint32_t first[8], n = 0, odd = 0;

	add(j, most, j->count);
	for (uint32_t i = 0; i < whole; i++) {
		double like = likeness(j, section(j, c, i), j->count,
			most.to - most.from);
		j->odd[i] = like < 0.95;
		odd += j->odd[i];
		if (j->odd[i] && n < 8)
			first[n++] = i;
	}
	take_out(j, most, j->count);
	for (uint32_t x = 0; odd <= whole / 2 && x < n; x++)
		for (uint32_t y = x + 1; y < n && !c->every; y++) {
			uint32_t lag = first[y] - first[x];
			if (lag > 1 && comes_back(j->odd, whole, lag)) {
				c->every = lag;
				c->odd = first[x];
			}
		}
}

bool cycle_cut_is_period(struct cycle_judge *j, struct cycle_cut *c)
{
	c->every = 0;
	if (c->n < 2 || !alike(j, c))
		return false;
	uint32_t whole = c->n - !c->tail;
	if (whole < 2 || !closed(j, c, whole))
		return false;
	above(j, c, whole);
	return !c->every;
}

bool cycle_judge_own(const struct cycle_judge *j, const struct cycle_cut *c,
	struct slice r)
{
	for (uint32_t i = r.from; i < r.to; i++)
		if (j->sections[j->s->name[i]] < enough(c->n - !c->tail))
			return false;
	return true;
}
