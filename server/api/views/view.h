/* view.h - formats rows as JSON values and tables. These rules hold for all
 * views.
 *
 * Only views write field names. A view formats results and makes no decisions.
 * Every function returns a JSON reference that its caller owns. An unknown
 * value is null. The following values mean unknown: a NULL text, a number of
 * -1, NAN, NO_MOMENT. A number of 2^53 or more is also written as null, because
 * many JSON readers cannot represent it exactly. Tables and texts are allocated
 * in the arena. */
#pragma once
#include "arena.h"
#include "job.h"
#include "upload.h"
#include "compared.h"
#include "err.h"
#include "query.h"
#include "table.h"
#include <jansson.h>

struct buf;
struct call_tree;
struct exchange_maps;
struct rank_steps;
struct gpu_fleet_row;
struct home;
struct operator_info;
struct search;
struct search_count;
struct value_row;
struct finding_list;
struct kernel_profile_file;
struct kernel_profile_line;
struct run_measure;
struct serving_rate;
struct energy_sum;
struct utilization;
struct job_row;
struct layers_short;
struct pattern_mean;
struct rank_balance;
struct ranks;
struct run_diagnosis;
struct run_gaps;
struct strips;
struct strips_window;

json_t *view_text(const char *s);
json_t *view_texts(const char *const *list, uint32_t n);
json_t *view_whole(int64_t v);
json_t *view_real(double v);
json_t *view_moment(int64_t us);
json_t *view_labels(const char *labels);
json_t *view_error(const struct err *e);

/* Sets a field to x, or to null if x is unknown. */
void view_set_real(json_t *v, const char *key, double x);
void view_set_whole(json_t *v, const char *key, int64_t x);
void view_set_text(json_t *v, const char *key, const char *s);

/* A list of ids or other integers. */
json_t *view_ids(const int64_t *list, uint32_t n);

/* Appends an item and takes ownership of it. A NULL item is a bug, because a
 * row would be lost silently. */
void view_append(json_t *list, json_t *item);
/* {"items": …, "next": …}; takes over `items`. */
json_t *view_list(json_t *items, const char *next);

json_t *view_finding(const char *code, const char *severity, const char *text);
json_t *view_finding_list(const struct finding_list *l);

/* Whether functions of the type are kernels, which have short names. */
bool view_function_is_kernel(enum function_type type);
/* The name of a function to show: the short name of a kernel, otherwise the
 * function's own name. */
const char *view_function(struct arena *a, enum function_type type,
	const char *name);

json_t *view_upload(const struct upload_row *u);
/* The summary of a run's iterations. */
struct iterations_short {
	/* range NULL: the iterations have no name */
	const char *detector, *range;
	double confidence, median_ns;
	int64_t count, kept;
};
/* Reads the summary from the run's row. */
struct iterations_short view_run_iterations(const struct run_row *r);
json_t *view_iterations_short(const struct iterations_short *s);
json_t *view_run(const struct run_row *r);
/* Adds the fields whose values are read from the trace. */
json_t *view_run_trace(const struct run_row *r);
json_t *view_device(const struct profile_device *d);
json_t *view_run_detail(const struct run_row *r,
	const struct profile_device *devices, uint32_t n,
	const struct layers_short *layers, /* NULL: unknown */
	int64_t measures, int64_t main_run /* -1: none */);
json_t *view_job_row(const struct job_row *j);
json_t *view_job(struct arena *a, const struct job_row *j,
	const struct ranks *r, const struct rank_balance *b,
	const struct finding_list *findings);
/* The ranks over time (view_job_steps.c). */
json_t *view_job_steps(int64_t job, const struct ranks *r,
	const struct rank_steps *s);
json_t *view_exchanges(struct arena *a, int64_t job, const struct ranks *r,
	const struct exchange_maps *maps);
/* One row per cell. */
const struct table *view_exchanges_table(struct arena *a, const struct ranks *r,
	const struct exchange_maps *maps);

/* A GPU over many runs (view_devices.c). */
json_t *view_fleet_gpu(const struct gpu_fleet_row *r);
/* What the home page shows (view_home.c). */
json_t *view_home(const struct home *h);
/* What a search finds (view_search.c). `distinct`: the distinct names of the kernels
 * (distinct_name.h). */
struct view_operators_found {
	const struct operator_info **rows;
	uint32_t n, all; /* that are listed; that match */
};
json_t *view_search(const struct search *s, const char *const *distinct,
	const struct view_operators_found *o);
/* The values of a filter. */
json_t *view_values(const struct value_row *rows, const struct search_count *n);

json_t *view_note(const struct note_row *n);
/* How fast a serving engine works. `price` is per GPU-hour, NAN: none. `reason`: why
 * tokens per GPU are not known; NULL: they are. */
json_t *view_serving(const struct serving_rate *rates, uint32_t n, int64_t gpus,
	const char *reason, double price, const struct energy_sum *energy);
json_t *view_energy(int64_t run, const struct energy_use *use,
	const struct energy_sum *sum, const struct iterations *c);
/* Results of benchmarks of a run (view_measure.c). */
json_t *view_measures(struct arena *a, const struct run_measure *rows,
	uint32_t n);

/* A window of a run's timeline (view_strips.c). `ids` and `texts` are by total:
 * the id of a kernel, -1 if it is unknown, and the name to show. */
struct view_strips {
	int64_t run;
	const struct strips *strips;
	const struct strips_window *window;
	const int64_t *ids;
	const char *const *texts;
};
json_t *view_strips(const struct view_strips *v);

/* Kernel profiles of a run (view_kernel_profile.c). */
struct view_profiles {
	const struct kernel_profile_line *rows;
	uint32_t n;
};
/* `distinct`: its distinct name (distinct_name.h). `profiles` NULL: there are none. */
json_t *view_kernel(const struct kernel_line *k, const char *distinct,
	const struct view_profiles *profiles);
/* Those of a kernel, with a grid and a block if `s` has them; those of a
 * shape. */
json_t *view_profiles_of_kernel(const struct view_profiles *profiles,
	int64_t kernel, const struct kernel_stat *s);
json_t *view_profiles_of_shape(const struct view_profiles *profiles,
	uint32_t operator_, uint32_t rank);
struct view_profiled {
	struct view_profiles profiles;
	const struct kernel_profile_file *files;
	uint32_t files_n;
};
/* Returns at most `n` profiles as items, starting after the first `from`. */
json_t *view_kernel_profiles(const struct view_profiled *is, uint32_t from,
	uint32_t n, const struct finding_list *findings);
json_t *view_kernel_profiles_attached(const struct view_profiled *is,
	int64_t run, bool existing, const struct finding_list *findings);
json_t *view_copy(const struct copy_stat *s);
json_t *view_times(const struct time_stats *t);
json_t *view_graph(const struct graph_stat *g);
json_t *view_launch(const struct launch_line *l, const char *distinct);
/* The steps of a call path, the outermost first. */
json_t *view_path(const struct frame *path, uint32_t n);
/* `share_pct` is the caller's share of the kernel's time, in percent. */
json_t *view_caller(const struct caller_line *c, double share_pct);
/* Wraps `list`, which it takes over, in an answer that names the kernel. */
json_t *view_callers(int64_t kernel, const struct caller_table *t,
	json_t *list);

/* A call tree of one or two runs. `kernels` are those of its
 * nodes. */
struct view_call_kernel {
	int64_t id;
	const struct profile_kernel *is;
	const char *distinct;
};
struct view_call_tree {
	struct arena *arena;
	int64_t run, against; /* against 0: one run */
	const struct call_tree *tree;
	const struct view_call_kernel *kernels;
	const uint32_t *kernel_of; /* by node; unset unless CALL_KERNEL */
	uint32_t kernels_n;
};
json_t *view_call_tree(const struct view_call_tree *t);

struct launch_spread;
json_t *view_kernel_launches(int64_t kernel, const struct profile_kernel *k,
	const struct launch_spread *s);

/* Tables with the columns of nsys; in the arena. */
const struct table *view_kernel_table(struct arena *a,
	const struct kernel_line *rows, uint32_t n, enum split split);
const struct table *view_copy_table(struct arena *a,
	const struct copy_stat *rows, uint32_t n, enum split split);
/* `pid` is the process id of the run. */
const struct table *view_launch_table(struct arena *a, int64_t pid,
	const struct launch_line *rows, uint32_t n);

/* ---- the iterations of a run, and the functions in each iteration
 * (view_iteration.c) */

/* `use` is by iteration. */
json_t *view_iterations(const struct iterations *c,
	const struct iterations_short *s, const struct utilization *use);
const struct table *view_iteration_table(struct arena *a,
	const struct iterations *c, const struct utilization *use);
json_t *view_diagnosis(const struct run_diagnosis *d);
/* The same to paste into an issue. `site` is the address of the dashboard, for links;
 * NULL: without links. */
void view_diagnosis_md(struct arena *a, const struct run_diagnosis *d,
	const char *site, struct buf *b);
json_t *view_gaps(int64_t run, const struct run_gaps *of);
/* `distinct`: the distinct name of a kernel; NULL: not a kernel. */
json_t *view_pattern(struct arena *a, const struct pattern_mean *m,
	const char *distinct);

/* Functions by iteration, in the format of the pattern tables that can be
 * uploaded.
 *
 * The table has 17 columns and one row per iteration, function, device and
 * counter. If no counter of a function has a value in an iteration, there is
 * one row with the metric "N/A". Functions that did not run in an iteration
 * have no row for it. The table contains only the iterations that are counted
 * by function (patterns.h); this includes warm-up and incomplete iterations. */

struct view_pattern_csv {
	const struct compared_run *run;
	int64_t started_ns; /* UTC; 0 if the trace has another clock */
	/* Values that every iteration needs, computed once, by row: */
	const char **short_names;
	/* index of the first metric, and of one after the last */
	uint32_t *metrics;
};

/* Also writes the heading. `started_ns` is the start of the run; negative if it
 * is unknown. */
void view_pattern_csv_init(struct view_pattern_csv *t,
	const struct compared_run *run, int64_t started_ns, struct arena *a,
	struct buf *b);
/* Writes the rows of one iteration. The iteration is an index below
 * run->patterns.iterations_n. */
void view_pattern_csv_iteration(const struct view_pattern_csv *t,
	uint32_t iteration, struct buf *b);
