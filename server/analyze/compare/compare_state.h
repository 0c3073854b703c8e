/* compare_state.h - what the parts of compare.c hand each other.
 *
 * A unit is a repetition of the whole: a run, or the runs of one job. Its lanes
 * are the devices and hosts of its runs; a lane's place is found by what it does,
 * so that the same place of every unit does the same. A row is a function in a
 * place, with its time in every cycle that is compared, unit behind unit. */
#pragma once
#include "compare.h"
#include "verdict.h"

struct compare_unit {
	const struct compared_run **runs;
	/* Per run: places in its patterns' arrays of the cycles compared, and of
	 * each of its patterns the place. */
	uint32_t **at, **place_of;
	uint32_t runs_n;
	uint32_t cycles_n, first; /* compared; place in the side's arrays */
};

struct compare_side {
	const struct compared_run *runs;
	struct compare_unit *units;
	uint32_t runs_n, units_n, cycles_n;
	uint32_t *unit_cycles; /* of each unit, for the verdict */
	uint32_t *by_time; /* [units_n]: units, the oldest first */
	double *cycle_ns; /* [cycles_n]; a job's is the mean over its ranks */
	double per_launch; /* factor on the head's times; 1 as a rule */
};

enum { COMPARE_PLACE_ALL = UINT32_MAX }; /* of no device alone */
struct compare_row {
	const char *name, *device[2];
	enum function_type type;
	uint32_t place;
	double *ns[2]; /* per side and cycle */
	double launches[2], min_ns[2], max_ns[2], beta[2];
	/* PATTERN_SPREAD launches by length: of the runs of a side the least and
	 * the most; NULL where some run does not tell. */
	double *low_ns[2], *high_ns[2];
	bool spread_lacks[2];
	/* The patterns it is made of. */
	struct compare_source {
		int side;
		uint32_t unit, run, pattern;
	} * sources;
	uint32_t sources_n;
};

struct compare_split {
	enum split_part part;
	double *ns[2];
};

struct compare {
	const struct compare_options *o;
	const struct repeats *repeats;
	struct arena *a;
	struct compare_side side[2];
	const char **place[2]; /* [places_n]: what a place is called */
	uint32_t places_n;
	struct compare_row *rows;
	struct compare_split *split; /* known parts */
	uint32_t rows_n, split_n;
	double *means; /* room for one of each unit of a side */
	bool statistics; /* rows are time per launch */
	struct comparison *out;
};

enum { BASE, HEAD };

/* compare.c: all of compare_from(); c->o, repeats, a and out are given. */
bool compare_run(struct compare *c, const struct compared_run *base,
	uint32_t base_n, const struct compared_run *head, uint32_t head_n,
	struct err *e);
/* Everything up to the matrix and the findings of it. */
bool compare_prepare(struct compare *c, const struct compared_run *base,
	uint32_t base_n, const struct compared_run *head, uint32_t head_n,
	struct err *e);

/* compare_unit.c: which runs count as one. */
void compare_units_from(const struct compared_run *runs, uint32_t n,
	struct arena *a, struct compare_side *out);

/* By when they began where all tell, else by id. */
void compare_units_by_time(struct compare_side *s, struct arena *a);
/* Of a number per cycle, the mean of each unit, the oldest first. */
void compare_unit_means(const struct compare_side *s, const double *ns,
	double *means);

/* compare_work.c: how many cycles of each run and stratum work on what the other
 * side works on, in the same mix; NULL all. */
void compare_work_from(struct compare *c, uint32_t **wanted[2]);

/* compare_cycle.c: which cycles are compared, at most as many as wanted. Units
 * that have none are left out. */
void compare_cycles_use(struct compare_side *s, uint32_t *const *wanted,
	struct arena *a);

/* compare_role.c: the place of each lane. */
bool compare_on_host(enum function_type t);
void compare_roles_from(struct compare *c);

/* compare_row.c: time per function, place and cycle. */
double compare_beta(const struct compared_run *run, const struct pattern *p,
	uint32_t at);
void compare_rows_from(struct compare *c);
/* Time per launch, where statistics over the whole run are all there is. */
void compare_rows_statistics(struct compare *c);

/* compare_collective.c: of several devices' collectives, what the first done
 * takes; the rest is waiting. */
void compare_collectives_join(struct compare *c);

/* compare_split.c: where a cycle's time goes, as far as all cycles tell. */
bool compare_split_from(struct compare *c, struct err *e);

/* compare_window.c: whether a side's cycles are recordings as a whole; the head's times as of the base's window. */
bool compare_is_window(const struct compare_side *s);
void compare_window_scale(struct compare *c);

/* compare_judge.c: changes[rows_n + split_n]. */
bool compare_judge(struct compare *c, struct change *changes, struct err *e);

/* compare_unjudged.c: takes the class from what says nothing of the work: the
 * host where only launches tell, waiting for others, what the other side has no
 * device or rank for. */
void compare_unjudged(const struct compare *c, struct change *changes);

/* compare_out.c: rows and split as they are told; `changes` NULL: not judged. */
void compare_told(struct compare *c, const struct change *changes);

/* compare_resource.c: counters that changed with a row; what all of them are
 * worth. */
void compare_resources_add(struct compare *c, const struct compare_row *row,
	struct changed_row *out);
void compare_counters_from(struct compare *c);

/* What can be said of two means alone; nothing is judged. */
struct change compare_change_plain(double base_ns, double head_ns);

/* compare_finding.c: REFUSE makes the comparison none. */
void compare_finding_add(struct compare *c, enum finding_code code,
	const char *base, const char *head);
void compare_findings_sort(struct compare *c);

/* compare_around.c: what differs around the numbers, as far as the runs tell,
 * and as far as the rows do. */
void compare_around_from(struct compare *c);
void compare_around_rows(struct compare *c);

/* compare_where.c: devices, ranks, surroundings. */
void compare_where_from(struct compare *c);

/* compare_meaning.c: whether cycles are the same thing on both sides; how many
 * of them are used. */
void compare_meaning_from(struct compare *c);
void compare_meaning_used(struct compare *c);
/* Share of a side's GPU time that is in cycles; -1 where it cannot be told. */
double compare_covered(const struct compare_side *s);

/* compare_headline.c */
void compare_headline_from(struct compare *c);

/* compare_text.c: figures in sentences, in the arena. */
const char *compare_text_time(struct arena *a, double ns);
const char *compare_text_pct(struct arena *a, double share);
/* "run 5"; what has no id by its name. */
const char *compare_text_run(struct arena *a, const struct compared_run *r);
/* Adds to a list with commas; NULL is an empty one. */
const char *compare_text_join(struct arena *a, const char *list,
	const char *item);
/* A kernel's name, short; what became of it ("takes longer"), by how much ("+0.71 ms
 * per cycle (+8.3 %)"), by which evidence ("by permutation of runs"). */
const char *compare_text_name(struct arena *a, const char *name);
const char *compare_text_what(const struct change *c);
const char *compare_text_amount(struct arena *a, const struct change *c);
const char *compare_text_evidence(const struct change *c);
