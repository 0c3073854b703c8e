/* findings.h - findings: warnings and other facts about a result, as sentences.
 *
 * They report what a reader cannot see in the numbers: time without an
 * operator, runs that are not counted, S above 1, unknown peaks and sizes,
 * missing ranks. The most important finding comes first. */
#pragma once
#include "compared.h"
#include "fleet_importance.h"
#include "kernel_profiles.h"
#include "ranks.h"
#include "run_operators.h"

struct finding_line {
	const char *code, *severity, *text; /* severity: "warn" or "info" */
};

struct finding_list {
	struct arena *arena; /* contains the list and its sentences */
	struct finding_line *lines;
	uint32_t n;
};

/* Findings about the importance over many runs; `fleet` NULL: about that of a
 * reference set. */
struct finding_list findings_importance(struct arena *a,
	const struct fleet_importance *m, const struct fleet *fleet,
	const struct catalog *c);

struct finding_list findings_run_operators(struct arena *a,
	const struct run_operators_table *m);

/* The time of an operator's shapes: of all of them, of those without a roofline
 * bound, of those with S above 1. */
struct findings_shape_times {
	double all, unbound, over; /* in any unit of time */
	uint32_t n;
	const char *empty; /* why there are no shapes */
};
struct finding_list findings_shapes(struct arena *a,
	const struct findings_shape_times *s);

/* Findings about the kernel profiles of a run and the files they are from. */
struct finding_list findings_kernel_profiles(struct arena *a,
	const struct kernel_profile_line *rows, uint32_t n,
	const struct kernel_profile_file *files, uint32_t files_n);

/* Findings about the ranks of a job: missing, duplicate or unknown ranks,
 * collectives that a rank lacks, clocks that cannot be compared, stragglers. */
struct finding_list findings_job(struct arena *a, const struct ranks *r,
	const struct compared_run *runs, uint32_t n);
