/* layer_pass.c - chooses the passes of a sequence that count. */
#include "layer_pass.h"
#include <inttypes.h>

static bool layer_pass_kept(const struct layer_seq *s, uint32_t iteration)
{
	const struct iterations *c = &s->profile->iterations;

	return iteration < c->n &&
	       c->iterations[iteration].use == ITERATION_KEPT;
}

/* Returns the time of each stratum's kept iterations; -1 if they hold nothing. */
static void layer_pass_weigh(const struct layer_seq *s, int64_t *ns)
{
	const struct iterations *c = &s->profile->iterations;

	for (uint32_t i = 0; i < c->strata_n; i++)
		ns[i] = -1;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct layer_item *it = &s->items[i];
		if (!layer_pass_kept(s, it->pass))
			continue;
		int64_t *of = &ns[c->iterations[it->pass].stratum];
		*of = (*of < 0 ? 0 : *of) + it->dur_ns;
	}
}

static bool layer_pass_choose(struct layer_seq *s, int64_t wanted,
	const int64_t *ns, struct err *e)
{
	const struct iterations *c = &s->profile->iterations;

	if (wanted >= c->strata_n)
		return err_set(e, ERR_NOT_FOUND,
			"there is no stratum %" PRId64 "; the run has %" PRIu32
			", counted from 0",
			wanted, c->strata_n);
	if (wanted >= 0 && ns[wanted] < 0)
		return err_set(e, ERR_NOT_FOUND,
			"no iteration of stratum %" PRId64
			" that counts did anything on device %" PRId32,
			wanted, s->device);
	if (wanted >= 0) {
		s->stratum = (uint32_t)wanted;
		return true;
	}
	for (uint32_t i = 0; i < c->strata_n; i++)
		if (ns[i] >= 0 &&
			(s->stratum == LAYER_NONE || ns[i] > ns[s->stratum]))
			s->stratum = i;
	return true;
}

/* Makes one pass from the first record's start to the last one's end. */
static bool layer_pass_whole(struct layer_seq *s)
{
	s->passes = arena_array(s->arena, struct layer_pass, 1);
	if (!s->passes)
		return false;
	s->passes_n = s->n > 0;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct layer_item *it = &s->items[i];
		int64_t end_ns = it->start_ns + it->dur_ns;
		if (!i)
			s->passes[0] = (struct layer_pass){ it->start_ns,
				end_ns, LAYER_NONE };
		if (end_ns > s->passes[0].end_ns)
			s->passes[0].end_ns = end_ns;
		s->items[i].pass = 0;
	}
	return true;
}

static bool layer_pass_of_stratum(struct layer_seq *s, uint32_t *pass_of)
{
	const struct iterations *c = &s->profile->iterations;
	int64_t first_ns = trace_first_ns(s->trace, s->proc);

	s->passes = arena_array(s->arena, struct layer_pass, (size_t)c->n + 1);
	if (!s->passes)
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct iteration *y = &c->iterations[i];
		pass_of[i] = LAYER_NONE;
		if (y->use != ITERATION_KEPT || y->stratum != s->stratum)
			continue;
		int64_t start_ns = first_ns + y->start_ns;
		pass_of[i] = s->passes_n;
		s->passes[s->passes_n++] = (struct layer_pass){ start_ns,
			start_ns + y->dur_ns, i };
	}
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t iteration = s->items[i].pass;
		s->items[i].pass =
			iteration < c->n ? pass_of[iteration] : LAYER_NONE;
	}
	return true;
}

bool layer_passes(struct layer_seq *s, int64_t wanted, struct err *e)
{
	const struct iterations *c = &s->profile->iterations;
	struct arena scratch = arena_scratch(s->arena);
	int64_t *ns = arena_array(&scratch, int64_t, (size_t)c->strata_n + 1);
	uint32_t *pass_of = arena_array(&scratch, uint32_t, (size_t)c->n + 1);
	bool room = ns && pass_of, found = true;

	if (room)
		layer_pass_weigh(s, ns);
	found = !room || layer_pass_choose(s, wanted, ns, e);
	if (room && found)
		room = s->stratum == LAYER_NONE
			       ? layer_pass_whole(s)
			       : layer_pass_of_stratum(s, pass_of);
	arena_scratch_release(&scratch, s->arena);
	return found && (room || arena_err(s->arena, e));
}

bool layer_passes_doubtful(const struct layer_seq *s, int64_t wanted)
{
	const struct iterations *c = &s->profile->iterations;

	return c->detector == ITERATIONS_PERIOD && s->passes_n > 1 &&
	       (wanted < 0 || c->strata_n == 1);
}

bool layer_passes_join(struct layer_seq *s, struct layer_passes_were *was)
{
	*was = (struct layer_passes_were){ s->passes,
		arena_array(s->arena, uint32_t, (size_t)s->n + 1), s->passes_n,
		s->stratum };
	if (!was->pass)
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		was->pass[i] = s->items[i].pass;
	s->stratum = LAYER_NONE;
	return layer_pass_whole(s);
}

void layer_passes_part(struct layer_seq *s, const struct layer_passes_were *was)
{
	for (uint32_t i = 0; i < s->n; i++)
		s->items[i].pass = was->pass[i];
	s->passes = was->passes;
	s->passes_n = was->passes_n;
	s->stratum = was->stratum;
}
