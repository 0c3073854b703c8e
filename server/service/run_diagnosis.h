/* run_diagnosis.h - why a run is slow: what its time was used for, and the
 * largest of these causes as sentences.
 *
 * The time is that of the kept iterations. It is divided into causes of two
 * kinds. Busy: what limits what the GPU does (busy_classes.h), or `compute` in
 * place of its four classes if they are not known. Idle: why it does nothing
 * (wait_causes.h). The causes of a kind add up to busy_ns or idle_ns, exact to
 * the nanosecond. If the causes of idle time are not known, all of it has the
 * cause `unknown`, and `reason` says why.
 *
 * Also what single changes of the work would save (what_if.h). */
#pragma once
#include "arena.h"
#include "iterations.h"
#include "query_operator.h"
#include "what_if.h"

struct diagnosis_cause {
	const char *kind, *cause; /* "busy" or "idle"; words of the API */
	int64_t time_ns;
	int64_t parts; /* of idle intervals; -1: not counted */
	double share_pct; /* of the time of the kept iterations */
	const struct wait_name *names; /* what the host did; most time first */
	uint32_t names_n;
};

struct diagnosis_sentence {
	const struct diagnosis_cause *of;
	const char *text, *evidence;
	const char *link; /* the page with the most detail, without the host */
};

enum { DIAGNOSIS_CAUSES = BUSY_CLASSES + WAIT_CAUSES, DIAGNOSIS_SENTENCES = 5 };

struct run_diagnosis {
	int64_t run, iterations; /* kept ones */
	int64_t busy_ns, idle_ns; /* -1: unknown */
	/* Why the times, or the causes of idle time, are unknown; NULL: they are
	 * known. */
	const char *reason;
	struct diagnosis_cause causes[DIAGNOSIS_CAUSES];
	struct diagnosis_sentence sentences[DIAGNOSIS_SENTENCES];
	uint32_t causes_n, sentences_n;
	/* What single changes would save, largest first. They are not added up:
	 * two changes can save the same time. */
	const struct what_if *changes;
	uint32_t changes_n;
};

/* What the store has of a run. */
struct diagnosis_data {
	struct run_row run;
	struct iteration_sums sums;
	struct wait_times waits;
	struct run_operators operators;
	const struct reachable_sum *reachable; /* by operator */
	struct kept_iterations iterations;
	struct note_row *notes;
	uint32_t notes_n;
};

/* Texts are in the arena; names are those of `of`. False if the arena is full. */
bool run_diagnosis_from(struct run_diagnosis *d, struct arena *a,
	const struct diagnosis_data *of);
