/* collective_pairs.h - which calls of a job's ranks are the same collective.
 *
 * Calls of a process group are paired by their number in the group. A group is
 * the same on two ranks if its name, ranks and size are equal. The calls of each
 * kind are a group of their own if NCCL numbered them, because it counts each
 * kind apart. If a trace states
 * only a handle, which is valid in one process, a group is the same if all calls
 * that have equal numbers have equal kinds and sizes. Calls without a number are
 * paired in the order of their starts, if all ranks of the group have equally
 * many and the starts are known. So are the kernels without a process group, by
 * name, over all runs.
 *
 * A group is not paired if what is recorded contradicts itself: nothing is
 * guessed, and its calls are counted. Nor are sends and receives in a group of
 * more than two ranks, because the trace does not state between which two they
 * are. */
#pragma once
#include "arena.h"
#include "compared.h"

/* Why the calls of a group are not paired. */
enum pair_fault {
	PAIR_FINE,
	PAIR_ALONE, /* only one run of the job has it */
	PAIR_AMBIGUOUS, /* which runs are in it is unknown: more have equal calls
		than it has ranks, ranks of a job with several groups are
		missing, or a run has too many handles */
	PAIR_RANK_TWICE,
	PAIR_RESTARTS, /* the numbers restart differently on its ranks */
	PAIR_FAULTS
};

struct pair_group {
	const char *name; /* of the process group, or the handle's "#1"; NULL:
		no process group */
	const char *ranks; /* "[0, 1]"; NULL unknown */
	int64_t size; /* -1 unknown */
	uint32_t runs_n; /* runs of the job that are in it */
	enum pair_fault fault;
	bool nameless; /* kernels of one name without a process group */
	bool by_handle; /* found by its calls, not by a name */
	bool of_communicator; /* the calls of one kind of an NCCL communicator */
};
/* One collective: a call of each run of its group. */
struct collective_pair {
	uint32_t group;
	uint32_t first, n; /* in `members` */
};
struct pair_member {
	uint32_t run, line,
		call; /* runs[run].collectives.rows[line], its call */
};
struct collective_pairs {
	struct pair_group *groups;
	const uint32_t **group_of; /* [run][line]: index into `groups` */
	struct collective_pair *list; /* by group, then by number */
	struct pair_member *members; /* by pair, then by run */
	uint32_t groups_n, n;
	/* Collectives that are in no pair; of calls that cannot be counted one
	 * by one, those of the rank with most. */
	uint32_t unmatched;
	uint32_t restarts; /* groups whose numbers restart on some rank */
	uint32_t kinds_differ; /* numbers whose calls are of different kinds */
	uint32_t between_unknown; /* sends and receives of groups above two */
	const char *name_twice; /* a group's name that different lists of ranks
		have; NULL none */
};

/* The arena must have no size limit. */
void collective_pairs_from(const struct compared_run *const *runs, uint32_t n,
	struct arena *a, struct collective_pairs *out);

static inline const struct collective *pair_line(const struct compared_run
							 *const *runs,
	const struct pair_member *m)
{
	return &runs[m->run]->collectives.rows[m->line];
}
