/* column.h - columns that several tables have: durations, words of an enum,
 * shapes.
 *
 * The column names are defined once here, for the statements that write them
 * and for those that read them. Functions write or read the columns in this
 * order. */
#pragma once
#include "bulk.h"
#include "profile.h"
#include "result.h"

/* The statistics of a set of durations: "instances" and model/time_stats.def.
 * NULL is stored for -1 and NaN. */
#define TIME_COLUMN(x, stored, member, field, ...) ", " x #field
#define TIME_COLUMN_ONE(...) +1
#define TIME_COLUMNS "instances" TIME_STATS(TIME_COLUMN, "")
#define TIME_COLUMNS_OF(x) x "_instances" TIME_STATS(TIME_COLUMN, x "_")
enum { TIME_COLUMNS_N = 1 TIME_STATS(TIME_COLUMN_ONE, ) };
void column_write_time(struct bulk *b, const struct time_stats *t);
void column_read_time(struct result *r, struct time_stats *t);

/* One component of a launch's latency. */
#define SPREAD_COLUMNS(x)                                             \
	x "_mean_ns, " x "_median_ns, " x "_min_ns, " x "_max_ns, " x \
	  "_stddev_ns"
enum { SPREAD_COLUMNS_N = 5 };
#define TOTAL_SPREAD SPREAD_COLUMNS("total")
#define API_SPREAD SPREAD_COLUMNS("api")
#define QUEUE_SPREAD SPREAD_COLUMNS("queue")
#define KERNEL_SPREAD SPREAD_COLUMNS("kernel")
#define LAUNCH_SPREADS \
	TOTAL_SPREAD ", " API_SPREAD ", " QUEUE_SPREAD ", " KERNEL_SPREAD

/* The index of the text among the n words of an enum; the schema allows no
 * other text. */
int column_word_of(const char *text, const char *const *words, int n);
/* As column_word_of(), for the next column. */
int column_word(struct result *r, struct arena *a, const char *const *words,
	int n);
/* Reads the next column; NULL is unknown. */
enum dtype column_dtype(struct result *r, struct arena *a);
enum phase column_phase(struct result *r, struct arena *a);

/* Columns of run_shape, joined with its `shape` as `sizes`. */
#define SHAPE_COLUMNS                                                        \
	"operator, sizes, grid, attribution_source, launches, " TIME_COLUMNS \
	", buckets, bucket, bucket_calls, flops, read_bytes, "               \
	"write_bytes, link_kind, link_bytes, link_ranks, link_nodes, "       \
	"reason, sol_ns, leg, clock_sol_ns, clock_leg, headroom_ns"
/* Reads the text of run_shape.flops, "bf16=4096 fp32=32". */
void column_read_flops(const char *text, struct cost *c);
/* False if the packed columns cannot be read. */
bool column_read_shape(struct result *r, struct arena *a, struct shape_stat *s);
