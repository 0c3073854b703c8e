/* layer_period.c - layers from the repeating sequence of kernels: a sample of the
 * main stream tells the kinds, all of it is read by them. */
#include "layer_stacks.h"

enum {
	SAMPLE = 1 << 16, /* launches that kinds are learnt from */
	ROUNDS = 4, /* stacks that share no names */
	PART_MIN = 16, /* launches of what is looked at once more */
	PARTS_MAX = 1024
};

/* Layers of which less is where most have it are no layers. */
static const double SURE = 0.5;

static const char *const none_run = "nothing ran in the passes that count";
static const char *const none_one =
	"all launches of the main stream are of one kernel";
static const char *const none_repeats =
	"no sequence of kernels repeats within a pass, as layers would";
static const char *const none_even = "what repeats is of different length or "
				     "content each time, so it is no layer";

struct search {
	struct layer_line line;
	struct layer_kinds kinds;
	struct slice parts[PARTS_MAX]; /* the sample; what is not read yet */
	uint32_t parts_n;
	bool mixes;
	struct arena a; /* scratch */
};

/* Passes that kinds are learnt from: from the second on, for the first may be cut
 * off; of a long one its middle. */
static void sample(struct search *f)
{
	uint32_t passes = f->line.s->passes_n, left = SAMPLE;

	for (uint32_t i = 0; i < passes && f->parts_n < PARTS_MAX / 2; i++) {
		struct slice p = f->line.pass[(i + 1) % passes];
		uint32_t n = p.to - p.from;
		if (n > left && f->parts_n)
			break;
		if (n > left) {
			p.from += (n - left) / 2;
			p.to = p.from + left;
		}
		left -= p.to - p.from;
		if (p.to > p.from)
			f->parts[f->parts_n++] = p;
	}
}

/* What of the sample is in no layer by the kinds known becomes the parts. */
static bool rest(struct search *f, const struct slice *of, uint32_t n,
	uint32_t *launches)
{
	struct layer_readings r = { 0 };

	for (uint32_t i = 0; i < n; i++)
		if (!layer_decode(&f->line, of[i], &f->kinds, &f->a, &r))
			return false;
	f->parts_n = *launches = 0;
	for (uint32_t i = 0; i < r.n && f->parts_n < PARTS_MAX; i++) {
		struct slice p = { r.at[i].from, r.at[i].to };
		if (r.at[i].kind != LAYER_OUTSIDE || p.to - p.from < PART_MIN)
			continue;
		f->parts[f->parts_n++] = p;
		*launches += p.to - p.from;
	}
	arena_drop(&f->a, r.at);
	return true;
}

/* Kinds of one stack after the other: what the kinds known do not read is looked
 * at again, where it is a tenth or more. */
static bool learn(struct search *f)
{
	struct slice *all = arena_array(&f->a, struct slice, f->parts_n + 1);
	uint32_t n = f->parts_n, launches = 0, left;
	struct layer_cuts cuts;

	if (!all)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		all[i] = f->parts[i];
		launches += all[i].to - all[i].from;
	}
	left = launches;
	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t known = f->kinds.n;
		if (!layer_anchor_find(&f->line, f->parts, f->parts_n, f->mixes,
			    &f->a, &cuts))
			return false;
		if (cuts.explained * 4 < left)
			break;
		if (!layer_kinds_add(&f->kinds, &f->line, f->parts, f->parts_n,
			    &cuts, &f->a) ||
			!rest(f, all, n, &left))
			return false;
		f->mixes |= cuts.mixes;
		if (f->kinds.n == known || !f->parts_n || left * 10 < launches)
			break;
	}
	return true;
}

static bool one_name(const struct layer_line *l)
{
	for (uint32_t i = 1; i < l->n; i++)
		if (l->symbol[i] != l->symbol[0])
			return false;
	return true;
}

/* The kernel that most layers begin with. */
static const char *beginning(const struct layer_line *l,
	const struct layer_readings *r)
{
	const struct profile *p = l->s->profile;
	uint32_t best = LAYER_NONE, votes = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		if (r->at[i].kind == LAYER_OUTSIDE)
			continue;
		uint32_t symbol = l->symbol[r->at[i].from];
		if (!votes)
			best = symbol;
		votes += symbol == best ? 1 : -1u;
	}
	if (!p || best == LAYER_NONE)
		return NULL;
	return best < p->kernels_n ? p->kernels[best].name
				   : l->s->operations[best - p->kernels_n];
}

/* Whether layers are of a few kinds, or most of kinds that come four times a
 * pass: what is like nothing else is no layer. */
static bool few_kinds(const struct search *f, const struct layer_readings *r)
{
	uint32_t n[LAYER_KINDS_MAX] = { 0 }, all = 0, often = 0, kinds = 0;

	for (uint32_t i = 0; i < r->n; i++)
		if (r->at[i].kind != LAYER_OUTSIDE) {
			n[r->at[i].kind]++;
			all++;
		}
	for (uint32_t k = 0; k < LAYER_KINDS_MAX; k++) {
		kinds += n[k] > 0;
		often += n[k] / 4 >= f->line.s->passes_n ? n[k] : 0;
	}
	return kinds <= 4 || often >= all / 2;
}

static bool read_all(struct search *f, struct layering *out)
{
	const struct layer_seq *s = f->line.s;
	struct layer_readings r = { 0 };
	struct layer_cut cut;
	uint32_t layered;

	for (uint32_t i = 0; i < s->passes_n; i++)
		if (!layer_decode(&f->line, f->line.pass[i], &f->kinds, &f->a,
			    &r))
			return false;
	if (!layer_stacks_cut(&f->line, &f->kinds, &r, &f->a, &cut, &layered))
		return false;
	if (!cut.sections_n || layered < f->line.n / 4 || !few_kinds(f, &r)) {
		out->why = cut.sections_n ? none_even : none_repeats;
		return true;
	}
	if (!layering_align(s, &cut, out))
		return false;
	out->detector = LAYERS_PERIOD;
	out->confidence = layering_confidence(out, s);
	if (out->confidence < SURE) {
		*out = (struct layering){ .why = none_even };
		return true;
	}
	out->anchor = beginning(&f->line, &r);
	out->why = NULL;
	return true;
}

static bool find(struct search *f, const struct layer_seq *s,
	struct layering *out)
{
	if (!layer_line_from(&f->line, s, &f->a))
		return false;
	if (f->line.n < 2 || one_name(&f->line)) {
		out->why = f->line.n < 2 ? none_run : none_one;
		return true;
	}
	sample(f);
	if (!learn(f))
		return false;
	if (!f->kinds.n) {
		out->why = none_repeats;
		return true;
	}
	return read_all(f, out);
}

bool layering_by_period(const struct layer_seq *s, struct layering *out)
{
	struct arena scratch = arena_scratch(s->arena);
	struct search *f = arena_new(&scratch, struct search);
	bool ok = f;

	*out = (struct layering){ .detector = LAYERS_NONE };
	if (f) {
		f->a = scratch;
		ok = find(f, s, out);
		scratch = f->a;
	}
	arena_scratch_release(&scratch, s->arena);
	return ok;
}
