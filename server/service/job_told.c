/* job_told.c - a sentence for each oddity that there is. */
#include "job_told.h"

enum { RANKS_SHOWN = 8 };

static void say(struct finding_list *list, const char *code,
	const char *severity, const char *text)
{
	findings_add(list, code, severity, text);
}

/* Adds "9" or "4 to 7" to a list. */
static const char *span(struct arena *a, const char *list, int64_t from,
	int64_t to)
{
	const char *comma = *list ? ", " : "";
	if (from == to)
		return arena_printf(a, "%s%s%lld", list, comma,
			(long long)from);
	return arena_printf(a, "%s%s%lld to %lld", list, comma, (long long)from,
		(long long)to);
}

/* Ranks are in order, so those that are not here lie between them. */
static void missing(struct finding_list *list, struct arena *a,
	const struct ranks *r, int64_t world)
{
	const char *text = "";
	int64_t count = 0, next = 0;
	int shown = 0;
	for (uint32_t i = 0; i <= r->ranks_n; i++) {
		int64_t to = i < r->ranks_n ? r->ranks[i].rank : world;
		to = to < world ? to : world;
		if (to > next) {
			count += to - next;
			if (shown++ < RANKS_SHOWN)
				text = span(a, text, next, to - 1);
		}
		next = to + 1 > next ? to + 1 : next;
	}
	if (!count)
		return;
	say(list, "ranks_missing", "warn",
		arena_printf(a,
			"%lld of %lld ranks are not here (%s%s): waiting for "
			"them is told as transfer",
			(long long)count, (long long)world, text,
			shown > RANKS_SHOWN ? ", and more" : ""));
}

/* The ranks of which another run is, each once. */
static void twice(struct finding_list *list, struct arena *a,
	const struct ranks *r)
{
	const char *text = "";
	for (uint32_t i = 1; i < r->ranks_n; i++) {
		int32_t rank = r->ranks[i].rank;
		bool first = i == 1 || r->ranks[i - 2].rank != rank;
		if (rank >= 0 && r->ranks[i - 1].rank == rank && first)
			text = span(a, text, rank, rank);
	}
	if (*text)
		say(list, "rank_twice", "warn",
			arena_printf(a,
				"more than one run says that it is rank %s; "
				"each is taken as a rank of its own",
				text));
}

static uint32_t unknown_ranks(const struct ranks *r)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->ranks_n; i++)
		n += r->ranks[i].rank < 0;
	return n;
}

/* The largest world that a run tells of, and whether they agree. */
static int32_t world_of(const struct compared_run *runs, uint32_t n,
	bool *agree)
{
	int32_t world = -1;
	*agree = true;
	for (uint32_t i = 0; i < n; i++) {
		int32_t told = runs[i].world_size;
		if (told >= 0 && world >= 0 && told != world)
			*agree = false;
		world = told > world ? told : world;
	}
	return world;
}

static void stragglers(struct finding_list *list, struct arena *a,
	const struct ranks *r)
{
	const char *text = "";
	for (uint32_t i = 0; i < r->ranks_n; i++)
		if (r->ranks[i].straggler && r->ranks[i].rank >= 0)
			text = span(a, text, r->ranks[i].rank,
				r->ranks[i].rank);
	if (*text)
		say(list, "straggler", "warn",
			arena_printf(a,
				"computes clearly longer than the median rank: "
				"rank %s",
				text));
}

struct finding_list job_told(struct arena *a, const struct ranks *r,
	const struct compared_run *runs, uint32_t n)
{
	struct finding_list found = { .arena = a }, *list = &found;
	bool agree;
	int32_t world = world_of(runs, n, &agree);
	uint32_t unknown = unknown_ranks(r);
	stragglers(list, a, r);
	twice(list, a, r);
	if (unknown)
		say(list, "rank_unknown", "warn",
			arena_printf(a,
				"%u of %u runs do not say which rank "
				"they are",
				unknown, r->ranks_n));
	else
		missing(list, a, r, world);
	if (!agree)
		say(list, "worlds_differ", "warn",
			"the runs do not agree on how many ranks there are");
	if (r->unmatched)
		say(list, "unmatched", "warn",
			arena_printf(a,
				"%u collectives are lacking in some rank and "
				"are not split into transfer and waiting",
				r->unmatched));
	if (r->ranks_n > 1 && !r->clocks_agree)
		say(list, "clocks_differ", "info",
			"the ranks' clocks cannot be laid beside each other: "
			"who arrives last is not known");
	if (r->ranks_n == 1)
		say(list, "lone_rank", "info",
			"one rank alone: its collectives include waiting for "
			"the others");
	return found;
}
