/* view_compare.h - comparisons, cycles, patterns and jobs as JSON and tables;
 * view.h has the rules. Texts and tables are the arena's. */
#pragma once
#include "compare.h"
#include "comparison.h"
#include "pattern_mean.h"
#include "query_compared.h"
#include "findings.h"
#include "ranks.h"
#include "compare_sides.h"
#include "view.h"

/* Sets a field, null where it is unknown. */
void view_set_real(json_t *v, const char *key, double x);
void view_set_whole(json_t *v, const char *key, int64_t x);
void view_set_text(json_t *v, const char *key, const char *s);

/* What people say of a function: a kernel's short name, else its own. */
const char *view_function(struct arena *a, enum function_type type,
	const char *name);

json_t *view_compared_run(const struct compared_run *r);
json_t *view_compared_runs(const struct compared_run *runs, uint32_t n);
json_t *view_finding(const char *code, const char *severity, const char *text);
json_t *view_findings(const struct comparison *c);
json_t *view_finding_list(const struct finding_list *l);

json_t *view_verdict(struct arena *a, const struct comparison *c,
	const struct compared_sides *s);
/* A row per item. */
const struct table *view_verdict_table(struct arena *a,
	const struct comparison *c);
/* What a person pastes into a pull request: headline, findings, where the
 * time went, what changed. */
void view_verdict_report(struct arena *a, const struct comparison *c,
	const struct compared_sides *s, struct buf *b);

/* sides: base, head. */
json_t *view_series(struct arena *a, const char *function, const char *device,
	const struct compare_series sides[2]);

/* What is said of a run's cycles wherever it is. */
struct cycles_short {
	const char *detector, *range; /* range NULL: of no name */
	double confidence, median_ns;
	int64_t count, kept;
};
/* As the run's row has them. */
struct cycles_short view_run_cycles(const struct run_row *r);
json_t *view_cycles_short(const struct cycles_short *s);
json_t *view_strata(const struct cycles *c);
json_t *view_cycle(const struct cycle *c);
const struct table *view_cycle_table(struct arena *a, const struct cycles *c);
json_t *view_pattern(struct arena *a, const struct pattern_mean *m);

json_t *view_job_row(const struct job_row *j);
/* `runs` as ranks_from() read them. */
json_t *view_job(struct arena *a, const struct job_row *j,
	const struct ranks *r, const struct compared_run *runs, uint32_t n,
	const struct finding_list *findings);
