/* trend.c - the stats that each metric has, their words, and groups of
 * units. */
#include "trend.h"
#include <string.h>

enum {
	AVG = 1 << TREND_AVG,
	MED = 1 << TREND_MED,
	MIN = 1 << TREND_MIN,
	MAX = 1 << TREND_MAX,
	P90 = 1 << TREND_P90,
	P99 = 1 << TREND_P99,
	TOTAL = 1 << TREND_TOTAL,
	SHARE = 1 << TREND_SHARE
};

static const struct {
	const char *word;
	enum trend_stat first;
	unsigned all;
	enum trend_of of;
	enum { LOWER, HIGHER, EITHER } better;
} metrics[] = {
#define METRIC(word, first, rest, of, better, what) \
	{ #word, TREND_##first, (first) | (rest), TREND_OF_##of, better },
#include "trend.def"
#undef METRIC
};

static const char *const stats[] = {
	[TREND_AVG] = "mean",
	[TREND_MED] = "median",
	[TREND_MIN] = "min",
	[TREND_MAX] = "max",
	[TREND_P90] = "p90",
	[TREND_P99] = "p99",
	[TREND_TOTAL] = "total",
	[TREND_SHARE] = "share",
};

const char *trend_metric_word(enum trend_metric m)
{
	return metrics[m].word;
}

const char *trend_stat_word(enum trend_stat s)
{
	return stats[s];
}

enum trend_stat trend_stat_of(enum trend_metric m)
{
	return metrics[m].first;
}

enum trend_of trend_of(enum trend_metric m)
{
	return metrics[m].of;
}

const char *trend_unit(enum trend_metric m, enum trend_stat s)
{
	if (m == TREND_METRIC_busbw)
		return "GB/s";
	return s == TREND_SHARE ? "1" : "ns";
}

bool trend_worse(enum trend_metric m, const struct trend *t, double before,
	double after)
{
	bool either = metrics[m].better == EITHER;
	bool lower = either ? t->lower : metrics[m].better == LOWER;
	bool higher = either ? t->higher : metrics[m].better == HIGHER;

	return (lower && after > before) || (higher && after < before);
}

const char *trend_others(struct arena *a, enum trend_metric m,
	enum trend_stat s)
{
	const char *list = stats[metrics[m].first];

	if (metrics[m].all >> s & 1)
		return NULL;
	for (int i = 0; i < TREND_STATS; i++)
		if (i != (int)metrics[m].first && metrics[m].all >> i & 1)
			list = arena_printf(a, "%s, %s", list, stats[i]);
	return list;
}

bool trend_groups(const struct trend *t, uint32_t *group)
{
	bool any = false;
	for (uint32_t i = 0; i < t->n; i++) {
		const char *is = t->group[i], *was = i ? t->group[i - 1] : NULL;
		bool same = is && was && !strcmp(is, was);
		group[i] = i ? group[i - 1] + !same : 0;
		any |= is != NULL;
	}
	return any;
}
