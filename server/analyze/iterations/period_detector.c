/* period_detector.c - finds the outermost period of the kernels' names and
 * makes iterations from it.
 *
 * A gram is a short sequence of names (see below). The places at which a gram
 * begins are tested as a cut, cuts with the most sections first. The first cut
 * that is a period is used, or the outer period around it, and moved to the
 * kernels at which iterations begin. The launches before the first place are a
 * partial iteration if they have only names of iterations and are not longer
 * than one; else they are no iteration. The launches after the last place are a
 * partial iteration, except if they are a complete one. */
#include "iteration_parts.h"
#include "sort.h"
#include <stdlib.h>
#include <string.h>

/* Whether sections of a process's kernels are iterations.
 *
 * A place is a position in the main stream; a cut is a list of places. A
 * section is the launches from one place to the next. The head is before the
 * first place, the tail after the last one. A cut is a period if
 *
 *  - there are at least two sections (a tail similar to the section before it
 *    is counted), with more than one name per section;
 *  - sections are like their neighbors: half of them share 90 % of their
 *    launches by name (the weighted Jaccard index of the multisets), and all of
 *    them 70 % on average;
 *  - it is closed: names occur in nine of ten sections. (Kernels that run once
 *    per step are in no layer, so a period of layers is not closed.) One of
 *    these must be true. 80 % of the run's names do so, and all names of the
 *    head and tail; if there are four or more sections, names only in the first
 *    one are ignored, because they may be warm-up. Or all other names have at
 *    most 0.5 % of launches and time. Or they have at most 5 % of launches and
 *    10 % of time, and a section consists of smaller sections that repeat: this
 *    is so for a step but not for a layer, and programs begin and end with
 *    other kernels;
 *  - there is no outer period: sections that differ from most others do not
 *    recur at an even distance. If they do, they begin the outer period. */

struct period_cut {
	uint32_t *at; /* places in seq.main */
	uint32_t n;
	bool tail; /* the last section is as complete as the others */
	uint32_t every; /* number of sections per outer period; 0 none */
	uint32_t odd; /* the section that begins the outer period */
};

/* Arrays by name and by section, for testing a cut. */
struct period_test {
	const struct period_sequence *s;
	uint32_t *count,
		*before; /* by name: in this section, in the last one */
	uint32_t *sections; /* by name: how many have it */
	uint32_t *seen; /* by name: the last section that counted it, + 1 */
	uint32_t *names; /* of a section */
	double *like; /* by section */
	bool *odd; /* by section: unlike most */
};

/* The part of the sequence that a section covers. The last section ends at the
 * end of the sequence. */
static struct slice period_detector_section(const struct period_sequence *s,
	const struct period_cut *c, uint32_t i)
{
	return (struct slice){ s->main[c->at[i]],
		i + 1 < c->n ? s->main[c->at[i + 1]] : s->n };
}

static struct slice period_detector_section_of(const struct period_test *j,
	const struct period_cut *c, uint32_t i)
{
	return period_detector_section(j->s, c, i);
}

/* The minimum number of complete sections in which a name of iterations
 * occurs. */
static uint32_t period_detector_min_sections(uint32_t whole)
{
	return whole - whole / 10;
}

/* Allocates the arrays for cuts of at most `most` places from `a`, an arena for
 * temporary data. False if it is full. */
static bool period_detector_init(struct period_test *j,
	const struct period_sequence *s, uint32_t most, struct arena *a)
{
	size_t names = (size_t)s->names_n + 1;

	*j = (struct period_test){ .s = s,
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

/* Adds the names in a part of the sequence to `count`. */
static void period_detector_count(const struct period_test *j, struct slice r,
	uint32_t *count)
{
	for (uint32_t i = r.from; i < r.to; i++)
		count[j->s->name[i]]++;
}

static void period_detector_uncount(const struct period_test *j, struct slice r,
	uint32_t *count)
{
	for (uint32_t i = r.from; i < r.to; i++)
		count[j->s->name[i]] = 0;
}

/* The weighted Jaccard index of a part of the sequence and another part of
 * `size` launches, whose names are counted in `count`. */
static double period_detector_similarity(struct period_test *j, struct slice r,
	const uint32_t *count, uint32_t size)
{
	uint32_t common = 0, own = r.to - r.from;

	for (uint32_t i = r.from; i < r.to; i++) {
		uint32_t name = j->s->name[i];
		common += j->before[name]++ < count[name];
	}
	period_detector_uncount(j, r, j->before);
	return own + size ? common / (double)(own + size - common) : 0;
}

/* Whether sections are like their neighbors; sets c->tail. */
static bool period_detector_neighbors_similar(struct period_test *j,
	struct period_cut *c)
{
	double sum = 0;

	c->tail = false;
	for (uint32_t i = 0; i + 1 < c->n; i++) {
		struct slice r = period_detector_section_of(j, c, i),
			     next = period_detector_section_of(j, c, i + 1);
		period_detector_count(j, r, j->count);
		j->like[i] = period_detector_similarity(j, next, j->count,
			r.to - r.from);
		period_detector_uncount(j, r, j->count);
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

/* Counts for each name the complete sections that contain it. */
static void period_detector_spread(struct period_test *j,
	const struct period_cut *c, uint32_t whole)
{
	size_t bytes = ((size_t)j->s->names_n + 1) * sizeof *j->seen;

	memset(j->seen, 0, bytes);
	memset(j->sections, 0, bytes);
	for (uint32_t i = 0; i < whole; i++) {
		struct slice r = period_detector_section_of(j, c, i);
		for (uint32_t k = r.from; k < r.to; k++) {
			uint32_t name = j->s->name[k];
			j->sections[name] += j->seen[name] != i + 1;
			j->seen[name] = i + 1;
		}
	}
}

/* The launches of a run that are foreign to its iterations. */
struct period_test_foreign {
	uint32_t names, of_names, launches;
	int64_t ns;
	bool outside; /* in the head or tail */
};

/* Finds the names, launches and time of a run that are foreign to its
 * iterations. Each name is counted once. */
static struct period_test_foreign period_detector_foreign(struct period_test *j,
	const struct period_cut *c, uint32_t whole)
{
	const struct period_sequence *s = j->s;
	uint32_t head_end = period_detector_section_of(j, c, 0).from;
	uint32_t first_end = period_detector_section_of(j, c, 0).to;
	uint32_t last_end = period_detector_section_of(j, c, whole - 1).to;
	struct period_test_foreign f = { 0 };

	memset(j->seen, 0, ((size_t)s->names_n + 1) * sizeof *j->seen);
	/* Backwards, so that the last position of a name is found first. */
	for (uint32_t i = s->n; i-- > 0;) {
		uint32_t name = s->name[i];
		bool own = j->sections[name] >=
			   period_detector_min_sections(whole);
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

/* Whether three quarters of a section consist of a repeating part: each launch
 * has the name of the launch a fixed distance ahead. */
static bool period_detector_is_nested(const struct period_test *j,
	struct slice r)
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

static bool period_detector_is_closed(struct period_test *j,
	const struct period_cut *c, uint32_t whole)
{
	period_detector_spread(j, c, whole);
	struct period_test_foreign f = period_detector_foreign(j, c, whole);
	if (!f.outside && f.names * 5 <= f.of_names &&
		f.launches <= j->s->n / 10)
		return true;
	if (f.launches <= j->s->n / 200 && f.ns <= j->s->total_ns / 200)
		return true;
	return f.launches <= j->s->n / 20 && f.ns <= j->s->total_ns / 10 &&
	       period_detector_is_nested(j,
		       period_detector_section_of(j, c, whole / 2));
}

/* A section whose length most sections have, or one of median length. */
static uint32_t period_detector_typical(const struct period_test *j,
	const struct period_cut *c, uint32_t whole)
{
	uint32_t best = 0, votes = 0;

	/* Majority vote: the length of most sections remains. */
	for (uint32_t i = 0; i < whole; i++) {
		struct slice r = period_detector_section_of(j, c, i),
			     b = period_detector_section_of(j, c, best);
		if (!votes)
			best = i;
		votes += !votes || r.to - r.from == b.to - b.from ? 1 : -1u;
	}
	return best;
}

/* Whether at least four of five unusual sections recur after `lag` sections. */
static bool period_detector_recurs(const bool *odd, uint32_t whole,
	uint32_t lag)
{
	uint32_t hits = 0, of = 0;

	for (uint32_t i = 0; i + lag < whole; i++) {
		of += odd[i];
		hits += odd[i] && odd[i + lag];
	}
	return hits && hits * 5 >= of * 4;
}

/* Finds the distance at which unusual sections recur, if they do. The distances
 * between the first ones are tried. */
static void period_detector_find_outer(struct period_test *j,
	struct period_cut *c, uint32_t whole)
{
	struct slice most = period_detector_section_of(j, c,
		period_detector_typical(j, c, whole));
	uint32_t first[8], n = 0, odd = 0;

	period_detector_count(j, most, j->count);
	for (uint32_t i = 0; i < whole; i++) {
		double like = period_detector_similarity(j,
			period_detector_section_of(j, c, i), j->count,
			most.to - most.from);
		j->odd[i] = like < 0.95;
		odd += j->odd[i];
		if (j->odd[i] && n < 8)
			first[n++] = i;
	}
	period_detector_uncount(j, most, j->count);
	for (uint32_t x = 0; odd <= whole / 2 && x < n; x++)
		for (uint32_t y = x + 1; y < n && !c->every; y++) {
			uint32_t lag = first[y] - first[x];
			if (lag > 1 &&
				period_detector_recurs(j->odd, whole, lag)) {
				c->every = lag;
				c->odd = first[x];
			}
		}
}

/* Whether a cut is a period. Fills c->tail. Also fills c->every if all
 * conditions except the last are true. */
static bool period_detector_cut(struct period_test *j, struct period_cut *c)
{
	c->every = 0;
	if (c->n < 2 || !period_detector_neighbors_similar(j, c))
		return false;
	uint32_t whole = c->n - !c->tail;
	if (whole < 2 || !period_detector_is_closed(j, c, whole))
		return false;
	period_detector_find_outer(j, c, whole);
	return !c->every;
}

/* Whether all names of a part of the sequence occur in nearly every section of
 * the cut that was tested last. */
static bool period_detector_own(const struct period_test *j,
	const struct period_cut *c, struct slice r)
{
	for (uint32_t i = r.from; i < r.to; i++)
		if (j->sections[j->s->name[i]] <
			period_detector_min_sections(c->n - !c->tail))
			return false;
	return true;
}

enum { GRAMS_MAX = 48 };

struct period_detector_gram {
	uint64_t hash;
	uint32_t length, count,
		first; /* of names; occurrences; place in main */
};

/* A gram is 1, 4, 16 or 64 consecutive names of a stream. A gram that recurs
 * may begin a period. A single name does if its kernel is launched once per
 * iteration. A longer gram is needed if only the transition from the last layer
 * to the first is unique. Grams that occur equally often are represented by one
 * of them. The numbers of occurrences that most grams have are tested. In long
 * sequences, an even sample of the grams is used, selected by their hash. */

enum {
	GRAM_LENGTHS = 4,
	OF_LENGTH = GRAMS_MAX / GRAM_LENGTHS,
	SAMPLED_MAX = 1 << 16
};

static const uint32_t gram_lengths[GRAM_LENGTHS] = { 1, 4, 16, 64 };
static const uint64_t hash_base = UINT64_C(0x9E3779B97F4A7C15);

struct period_detector_count {
	uint64_t hash; /* 0: free */
	uint32_t n, first;
};

struct period_detector_table {
	struct period_detector_count *slots;
	uint32_t mask;
};

/* The grams that occur equally often: one of them, and their number. */
struct period_detector_family {
	struct period_detector_gram one;
	uint64_t weight;
};

static uint64_t period_detector_mix(uint64_t x)
{
	x ^= x >> 31;
	x *= UINT64_C(0xBF58476D1CE4E5B9);
	x ^= x >> 27;
	x *= UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

static uint64_t period_detector_name_hash(const struct period_sequence *s,
	uint32_t at)
{
	return period_detector_mix(s->name[s->main[at]] + 1 + hash_base);
}

/* Hashes of the grams of a length, from the left to the right. */
struct period_detector_roll {
	const struct period_sequence *s;
	uint32_t length, at; /* of the gram that `sum` is of */
	uint64_t sum, power;
};

static bool period_detector_roll_init(struct period_detector_roll *r,
	const struct period_sequence *s, uint32_t length)
{
	*r = (struct period_detector_roll){ .s = s,
		.length = length,
		.power = 1 };
	if (s->main_n < length)
		return false;
	for (uint32_t i = 0; i < length; i++) {
		r->sum = r->sum * hash_base + period_detector_name_hash(s, i);
		r->power *= i ? hash_base : 1;
	}
	return true;
}

static uint64_t period_detector_roll_hash(const struct period_detector_roll *r)
{
	uint64_t h = period_detector_mix(r->sum + r->length);
	return h ? h : 1;
}

static bool period_detector_roll_next(struct period_detector_roll *r)
{
	if (r->at + r->length >= r->s->main_n)
		return false;
	r->sum -= period_detector_name_hash(r->s, r->at) * r->power;
	r->sum = r->sum * hash_base +
		 period_detector_name_hash(r->s, r->at + r->length);
	r->at++;
	return true;
}

static struct period_detector_count *
period_detector_slot(const struct period_detector_table *t, uint64_t hash)
{
	uint32_t i = (uint32_t)hash & t->mask;

	while (t->slots[i].hash && t->slots[i].hash != hash)
		i = (i + 1) & t->mask;
	return &t->slots[i];
}

static uint32_t period_detector_sampling(const struct period_sequence *s)
{
	uint32_t share = 1;

	while (s->main_n / share > SAMPLED_MAX)
		share *= 2;
	return share;
}

/* Whether a gram is in the even sample. This depends only on its hash, so that
 * all its occurrences are in the sample or none. */
static bool period_detector_is_sampled(uint64_t hash, uint32_t length,
	uint32_t share)
{
	return length == 1 || (hash >> 40 & (share - 1)) == 0;
}

/* Counts the occurrences of the sampled grams of one length. If the table is
 * three quarters full, new grams are ignored. */
static void period_detector_count_all(const struct period_sequence *s,
	uint32_t length, struct period_detector_table *t)
{
	uint32_t share = period_detector_sampling(s), used = 0;
	struct period_detector_roll r;

	if (!period_detector_roll_init(&r, s, length))
		return;
	do {
		uint64_t hash = period_detector_roll_hash(&r);
		if (!period_detector_is_sampled(hash, length, share))
			continue;
		struct period_detector_count *c = period_detector_slot(t, hash);
		if (!c->hash) {
			if (used >= t->mask / 4 * 3)
				continue;
			used++;
			*c = (struct period_detector_count){ hash, 0, r.at };
		}
		c->n++;
	} while (period_detector_roll_next(&r));
}

static int period_detector_by_count(const void *left, const void *right)
{
	const struct period_detector_count *a = left, *b = right;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static int period_detector_by_weight(const void *left, const void *right)
{
	const struct period_detector_family *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return (a->one.count < b->one.count) - (a->one.count > b->one.count);
}

static int period_detector_most_often(const void *left, const void *right)
{
	const struct period_detector_gram *a = left, *b = right;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return (a->length > b->length) - (a->length < b->length);
}

/* Selects one gram for each number of occurrences, for the numbers that most
 * grams have. Returns how many it selected. */
static uint32_t period_detector_choose(struct period_detector_table *t,
	uint32_t length, uint32_t most, struct period_detector_gram *out)
{
	struct period_detector_family best[OF_LENGTH + 1];
	uint32_t n = 0;

	uint32_t used = 0;
	for (uint32_t i = 0; i <= t->mask; i++)
		if (t->slots[i].n > 1 && t->slots[i].n <= most)
			t->slots[used++] = t->slots[i];
	qsort(t->slots, used, sizeof *t->slots, period_detector_by_count);
	for (uint32_t i = 0, next; i < used; i = next) {
		const struct period_detector_count *c = &t->slots[i];
		for (next = i; next < used && t->slots[next].n == c->n;)
			next++;
		best[n++] = (struct period_detector_family){
			{ c->hash, length, c->n, c->first },
			(uint64_t)(next - i) * c->n
		};
		qsort(best, n, sizeof *best, period_detector_by_weight);
		if (n > OF_LENGTH)
			n = OF_LENGTH;
	}
	for (uint32_t i = 0; i < n; i++)
		out[i] = best[i].one;
	return n;
}

/* Lists the selected grams that occur at least twice and at most `most` times,
 * the most frequent first. Sets *n to their number. Allocated from `a`, an
 * arena for temporary data; NULL if it is full. */
static struct period_detector_gram *
period_detector_grams(const struct period_sequence *s, uint32_t most,
	struct arena *a, uint32_t *n)
{
	struct period_detector_gram *out =
		arena_array(a, struct period_detector_gram, GRAMS_MAX);
	struct period_detector_table t = { .mask = SAMPLED_MAX * 4 - 1 };

	*n = 0;
	while (t.mask / 4 > s->main_n && t.mask > 63)
		t.mask /= 2;
	for (int i = 0; out && i < GRAM_LENGTHS; i++) {
		t.slots = arena_grow(a, NULL,
			((size_t)t.mask + 1) * sizeof *t.slots);
		if (!t.slots)
			return NULL;
		period_detector_count_all(s, gram_lengths[i], &t);
		*n += period_detector_choose(&t, gram_lengths[i], most,
			out + *n);
		arena_drop(a, t.slots);
	}
	if (out)
		qsort(out, *n, sizeof *out, period_detector_most_often);
	return out;
}

/* The places in main at which a gram begins, ascending; `at` has room for
 * gram.count. Returns how many; 0 if some overlap, because a gram that is made
 * of layers begins at each of them, and the rest of those is no period. */
static uint32_t period_detector_gram_places(const struct period_sequence *s,
	const struct period_detector_gram *g, uint32_t *at)
{
	uint32_t n = 0;
	struct period_detector_roll r;

	if (!period_detector_roll_init(&r, s, g->length))
		return 0;
	do {
		if (period_detector_roll_hash(&r) != g->hash)
			continue;
		if (n && r.at < at[n - 1] + g->length)
			return 0;
		at[n++] = r.at;
	} while (period_detector_roll_next(&r) && n < g->count);
	return n;
}

/* The kernel of a period at which its iterations begin. If the recording
 * contains a whole number of periods, it is the recording's first kernel. Else
 * it is the kernel before which the GPU was idle longest on average (without
 * the longest gap), because the host prepares the next iteration there. */

/* How far a place may be shifted if a section has additional or missing
 * kernels. */
enum { SLACK = 8 };

struct period_detector_mover {
	const struct period_sequence *s;
	const struct period_cut *c;
	int64_t *gap_ns; /* by place in main: idle time before it */
	uint32_t length; /* of a section in main: the median */
};

static uint32_t period_detector_name_at(const struct period_detector_mover *p,
	int64_t place)
{
	return p->s->name[p->s->main[place]];
}

static bool period_detector_within(const struct period_detector_mover *p,
	int64_t place)
{
	return place >= 0 && place < p->s->main_n;
}

static bool period_detector_measure(struct period_detector_mover *p,
	struct arena *a)
{
	const struct period_sequence *s = p->s;
	uint32_t n = p->c->n - 1, at = 0;
	uint32_t *length = arena_grow(a, NULL, (n + 1) * sizeof *length);
	int64_t busy = s->n ? s->start_ns[0] : 0;

	p->gap_ns = arena_grow(a, NULL,
		((size_t)s->main_n + 1) * sizeof *p->gap_ns);
	if (!p->gap_ns || !length)
		return false;
	for (uint32_t i = 0; i < n; i++)
		length[i] = p->c->at[i + 1] - p->c->at[i];
	sort_uint32(length, n);
	p->length = length[n / 2];
	arena_drop(a, length);
	for (uint32_t i = 0; i < s->n; i++) {
		int64_t end = s->start_ns[i] + s->dur_ns[i];
		if (at < s->main_n && s->main[at] == i)
			p->gap_ns[at++] = s->start_ns[i] > busy
						  ? s->start_ns[i] - busy
						  : 0;
		busy = end > busy ? end : busy;
	}
	return true;
}

/* Mean idle time before the places moved by `by`, without the longest; -1 if
 * they do not have the same name. */
static double period_detector_mean_idle(const struct period_detector_mover *p,
	int64_t by)
{
	uint32_t n = 0, same = 0;
	uint32_t name = 0;
	int64_t sum = 0, most = 0;

	for (uint32_t i = 0; i < p->c->n; i++) {
		int64_t at = p->c->at[i] + by;
		if (!period_detector_within(p, at))
			continue;
		if (!n++)
			name = period_detector_name_at(p, at);
		else if (name != period_detector_name_at(p, at))
			continue;
		int64_t gap = p->gap_ns[at];
		same++;
		sum += gap;
		most = gap > most ? gap : most;
	}
	if (!n || same * 10 < n * 9)
		return -1;
	return same > 2 ? (double)(sum - most) / (same - 1)
			: (double)sum / same;
}

/* Whether the recording holds a whole number of periods. */
static bool period_detector_whole_number(const struct period_detector_mover *p)
{
	uint32_t rest = p->s->main_n % p->length, slack = p->length / 50;

	return rest <= slack || p->length - rest <= slack;
}

static int64_t period_detector_best_move(const struct period_detector_mover *p)
{
	int64_t best = 0, half = p->length / 2;
	double longest = period_detector_mean_idle(p, 0);

	if (period_detector_whole_number(p))
		return -(int64_t)(p->c->at[0] % p->length);
	for (int64_t by = -half; by <= half; by++) {
		double ns = period_detector_mean_idle(p, by);
		if (ns > longest) {
			longest = ns;
			best = by;
		}
	}
	return best;
}

/* The place of this name nearest to one, or -1. */
static int64_t period_detector_nearest(const struct period_detector_mover *p,
	int64_t place, uint32_t name)
{
	for (int64_t off = 0; off <= SLACK; off++) {
		if (period_detector_within(p, place + off) &&
			period_detector_name_at(p, place + off) == name)
			return place + off;
		if (period_detector_within(p, place - off) &&
			period_detector_name_at(p, place - off) == name)
			return place - off;
	}
	return -1;
}

static int64_t period_detector_at(const struct period_detector_mover *p,
	int64_t place, uint32_t name)
{
	return period_detector_within(p, place) &&
			       period_detector_name_at(p, place) == name
		       ? place
		       : -1;
}

/* The name that begins most sections once they are moved. */
static uint32_t period_detector_first_name(const struct period_detector_mover
						   *p,
	int64_t by)
{
	uint32_t name = 0, votes = 0;

	for (uint32_t i = 0; i < p->c->n; i++) {
		int64_t at = p->c->at[i] + by;
		if (!period_detector_within(p, at))
			continue;
		if (!votes)
			name = period_detector_name_at(p, at);
		votes += name == period_detector_name_at(p, at) ? 1 : -1u;
	}
	return name;
}

/* Adds a place if it is after those in the list. */
static void period_detector_add_place(uint32_t *at, uint32_t *n, int64_t place)
{
	if (place >= 0 && (!*n || place > at[*n - 1]))
		at[(*n)++] = (uint32_t)place;
}

/* Moves a period's places, in at[] which has room for two more. In `a`, which
 * is for scratch; false if it is full. */
static bool period_detector_align(const struct period_sequence *s,
	struct period_cut *c, struct arena *a)
{
	struct period_detector_mover p = { .s = s, .c = c };
	uint32_t *moved = arena_grow(a, NULL, (c->n + 2) * sizeof *moved);
	uint32_t n = 0;

	if (!moved || !period_detector_measure(&p, a))
		return false;
	int64_t by = period_detector_best_move(&p), first = c->at[0] + by;
	int64_t last = c->at[c->n - 1] + by + p.length;
	uint32_t name = period_detector_first_name(&p, by);
	period_detector_add_place(moved, &n,
		period_detector_at(&p, first - p.length, name));
	for (uint32_t i = 0; i < c->n; i++) {
		int64_t at = c->at[i] + by,
			found = period_detector_nearest(&p, at, name);
		period_detector_add_place(moved, &n,
			found < 0 && period_detector_within(&p, at) ? at
								    : found);
	}
	period_detector_add_place(moved, &n,
		period_detector_at(&p, last, name));
	for (uint32_t i = 0; i < n; i++)
		c->at[i] = moved[i];
	c->n = n;
	arena_drop(a, moved);
	arena_drop(a, p.gap_ns);
	return true;
}

/* The maximum number of nested periods. */
enum { DEPTH = 3 };

struct period_detector_finder {
	struct period_sequence seq;
	struct period_test judge;
	struct period_cut cut;
	struct arena scratch;
};

/* Keeps only those places of a cut that begin the outer period. */
static void period_detector_climb(struct period_cut *c)
{
	uint32_t n = 0;

	for (uint32_t i = c->odd; i < c->n; i += c->every)
		c->at[n++] = c->at[i];
	c->n = n;
}

/* Whether the cut or an outer cut is a period. The cut is replaced by the outer
 * one if that is a period. */
static bool period_detector_try(struct period_detector_finder *f,
	uint32_t *spare)
{
	struct period_cut *c = &f->cut;

	for (int depth = 0; depth < DEPTH; depth++) {
		if (period_detector_cut(&f->judge, c))
			return true;
		if (!c->every)
			return false;
		uint32_t n = c->n;
		memcpy(spare, c->at, n * sizeof *spare);
		period_detector_climb(c);
		bool above = period_detector_cut(&f->judge, c);
		if (above)
			return true;
		if (!c->every) {
			memcpy(c->at, spare, n * sizeof *spare);
			c->n = n;
			period_detector_cut(&f->judge, c);
			return true;
		}
	}
	return false;
}

/* Tries the grams until a cut is a period. A gram must give at least 2
 * sections, with at least 2 kernels on average. */
static bool period_detector_search(struct period_detector_finder *f,
	bool *found)
{
	struct arena *a = &f->scratch;
	uint32_t n, most = f->seq.main_n / 2;
	const struct period_detector_gram *grams =
		period_detector_grams(&f->seq, most, a, &n);
	uint32_t *spare =
		arena_grow(a, NULL, ((size_t)most + 3) * sizeof *spare);

	f->cut.at = arena_grow(a, NULL, ((size_t)most + 3) * sizeof *f->cut.at);
	if (!grams || !spare || !f->cut.at ||
		!period_detector_init(&f->judge, &f->seq, most + 2, a))
		return false;
	*found = false;
	for (uint32_t i = 0; i < n && !*found; i++) {
		f->cut.n = period_detector_gram_places(&f->seq, &grams[i],
			f->cut.at);
		*found = period_detector_try(f, spare);
	}
	return true;
}

/* Moves the cut, if it is a period then, too. */
static bool period_detector_move(struct period_detector_finder *f)
{
	struct period_cut *c = &f->cut;
	uint32_t n = c->n;
	uint32_t *before =
		arena_grow(&f->scratch, NULL, (n + 1) * sizeof *before);

	if (!before)
		return false;
	memcpy(before, c->at, n * sizeof *before);
	if (!period_detector_align(&f->seq, c, &f->scratch))
		return false;
	if (period_detector_cut(&f->judge, c) || c->every)
		return true;
	memcpy(c->at, before, n * sizeof *before);
	c->n = n;
	period_detector_cut(&f->judge, c);
	return true;
}

static const char *period_detector_beginning(const struct period_detector_finder
						     *f,
	const struct profile *p)
{
	uint32_t name = f->seq.name[f->seq.main[f->cut.at[0]]];

	return name < p->kernels_n ? p->kernels[name].name : "CUDA graph";
}

/* Whether the launches before the first place are the end of an iteration: they
 * have only names of iterations and are not longer than one. */
static bool period_detector_starts_in_a_iteration(
	const struct period_detector_finder *f, uint32_t first)
{
	struct slice middle =
		period_detector_section(&f->seq, &f->cut, (f->cut.n - 1) / 2);

	return first <= middle.to - middle.from &&
	       period_detector_own(&f->judge, &f->cut,
		       (struct slice){ 0, first });
}

static bool period_detector_windows(struct period_detector_finder *f,
	struct iteration_gpu *g, struct profile *p)
{
	const struct period_cut *c = &f->cut;
	struct iterations *out = &p->iterations;
	uint32_t first = period_detector_section(&f->seq, c, 0).from;
	bool head = first && period_detector_starts_in_a_iteration(f, first);
	int64_t from, to;

	out->iterations =
		arena_array(p->arena, struct iteration, (size_t)c->n + 1);
	if (!out->iterations || !iteration_gpu_span(g, &from, &to))
		return false;
	if (head)
		out->iterations[out->n++] =
			(struct iteration){ .start_ns = from,
				.use = ITERATION_PARTIAL };
	for (uint32_t i = 0; i < c->n; i++)
		out->iterations[out->n++] = (struct iteration){
			.start_ns = f->seq.start_ns[f->seq.main[c->at[i]]]
		};
	for (uint32_t i = 0; i < out->n; i++) {
		struct iteration *y = &out->iterations[i];
		y->number = i;
		y->open = i + 1 == out->n;
		y->dur_ns = (y->open ? to : y[1].start_ns) - y->start_ns;
	}
	if (!c->tail)
		out->iterations[out->n - 1].use = ITERATION_PARTIAL;
	out->range = period_detector_beginning(f, p);
	iteration_gpu_claim(g, out);
	return true;
}

bool period_detector_find(struct iteration_gpu *g, const uint32_t *kernel_of,
	struct profile *p)
{
	struct period_detector_finder f = { .scratch =
						    arena_scratch(p->arena) };
	bool found = false;
	bool ok = iteration_gpu_sequence(&f.seq, g, kernel_of, p->kernels_n,
		&f.scratch);

	if (ok && f.seq.main_n >= 4)
		ok = period_detector_search(&f, &found) &&
		     (!found || period_detector_move(&f)) &&
		     (!found || period_detector_windows(&f, g, p));
	arena_scratch_release(&f.scratch, p->arena);
	return ok;
}

/* The first place of the stream in each window. */
static void period_detector_places(struct period_detector_finder *f,
	const struct iterations *c)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		while (at < f->seq.main_n && f->seq.start_ns[f->seq.main[at]] <
						     c->iterations[i].start_ns)
			at++;
		if (at < f->seq.main_n &&
			(!f->cut.n || at > f->cut.at[f->cut.n - 1]))
			f->cut.at[f->cut.n++] = at;
	}
}

bool period_detector_agrees(const struct iteration_gpu *g,
	const uint32_t *kernel_of, struct profile *p, bool *agrees)
{
	struct period_detector_finder f = { .scratch =
						    arena_scratch(p->arena) };
	struct arena *a = &f.scratch;
	bool ok = iteration_gpu_sequence(&f.seq, g, kernel_of, p->kernels_n, a);

	f.cut.at = arena_grow(a, NULL,
		((size_t)p->iterations.n + 1) * sizeof *f.cut.at);
	ok = ok && f.cut.at &&
	     period_detector_init(&f.judge, &f.seq, p->iterations.n, a);
	if (ok) {
		period_detector_places(&f, &p->iterations);
		*agrees = period_detector_cut(&f.judge, &f.cut) || f.cut.every;
	}
	arena_scratch_release(&f.scratch, p->arena);
	return ok;
}
