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
} metrics[] = {
#define METRIC(word, first, rest, what) \
	{ #word, TREND_##first, (first) | (rest) },
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
