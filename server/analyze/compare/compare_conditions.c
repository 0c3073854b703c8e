/* compare_conditions.c - devices, ranks and surroundings of both sides. */
#include "compare_state.h"
#include <stdlib.h>
#include <string.h>

enum { FACTS_MOST = 12 };

static const struct {
	const char *name, *called;
} known_facts[] = {
#define FACT(name, called) { #name, called },
#include "fact.def"
#undef FACT
};
enum { KNOWN_FACTS = sizeof known_facts / sizeof *known_facts };

static int by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Distinct texts, sorted, with " / " between; NULL of none. */
static const char *distinct(struct arena *a, const char **list, uint32_t n)
{
	const char *all = NULL;
	if (n)
		qsort(list, n, sizeof *list, by_text);
	for (uint32_t i = 0; i < n; i++)
		if (i == 0 || strcmp(list[i], list[i - 1]))
			all = all ? arena_printf(a, "%s / %s", all, list[i])
				  : list[i];
	return all;
}

static void devices_differ(struct compare *c)
{
	const char *text[2];
	for (int s = 0; s < 2; s++) {
		const struct compare_side *side = &c->side[s];
		const char **names = NULL;
		uint32_t n = 0;
		for (uint32_t i = 0; i < side->runs_n; i++)
			for (uint32_t k = 0; k < side->runs[i].device_names_n;
				k++) {
				const char *name =
					side->runs[i].device_names[k];
				if (!name || !*name)
					continue;
				names = arena_grow(c->a, names,
					(n + 1) * sizeof *names);
				names[n++] = name;
			}
		text[s] = distinct(c->a, names, n);
	}
	if (!text[BASE] && !text[HEAD])
		return;
	for (int s = 0; s < 2; s++)
		text[s] = text[s] ? text[s] : "unknown";
	if (strcmp(text[BASE], text[HEAD]))
		compare_finding_add(c, FINDING_devices_differ, text[BASE],
			text[HEAD]);
}

/* What a side tells under a name; NULL nothing. */
static const char *fact_of(struct compare *c, int s, const char *name)
{
	const struct compare_side *side = &c->side[s];
	const char **values = arena_array(c->a, const char *, side->runs_n);
	uint32_t n = 0;
	for (uint32_t i = 0; i < side->runs_n; i++)
		for (uint32_t k = 0; k < side->runs[i].facts.n; k++)
			if (!strcmp(side->runs[i].facts.rows[k].name, name))
				values[n++] = side->runs[i].facts.rows[k].value;
	return distinct(c->a, values, n);
}

struct fact_list {
	const char *text[2];
	uint32_t n;
};

static void fact_compare(struct compare *c, const char *name,
	const char *called, struct fact_list *l)
{
	const char *value[2] = { fact_of(c, BASE, name),
		fact_of(c, HEAD, name) };
	if (!value[BASE] || !value[HEAD] || !strcmp(value[BASE], value[HEAD]) ||
		l->n++ >= FACTS_MOST)
		return;
	for (int s = 0; s < 2; s++)
		l->text[s] = compare_text_join(c->a, l->text[s],
			arena_printf(c->a, "%s %s", called, value[s]));
}

/* One side runs on CUDA, the other on HIP: each tells what the other lacks. */
static void fact_other(struct compare *c, struct fact_list *l)
{
	const char *cuda[2], *hip[2];
	for (int s = 0; s < 2; s++) {
		cuda[s] = fact_of(c, s, "cuda_runtime");
		hip[s] = fact_of(c, s, "hip_runtime");
	}
	if (!cuda[BASE] == !cuda[HEAD] || !hip[BASE] == !hip[HEAD] ||
		!cuda[BASE] == !hip[BASE])
		return;
	l->n++;
	for (int s = 0; s < 2; s++)
		l->text[s] = compare_text_join(c->a, l->text[s],
			cuda[s] ? arena_printf(c->a, "CUDA runtime %s", cuda[s])
				: arena_printf(c->a, "HIP runtime %s", hip[s]));
}

static bool is_known(const char *name)
{
	for (int i = 0; i < KNOWN_FACTS; i++)
		if (!strcmp(known_facts[i].name, name))
			return true;
	return false;
}

static void facts_differ(struct compare *c)
{
	struct fact_list l = { 0 };
	const char *last = "";
	for (int i = 0; i < KNOWN_FACTS; i++)
		fact_compare(c, known_facts[i].name, known_facts[i].called, &l);
	fact_other(c, &l);
	/* Others by name, as the base's first run has them: what it does not
	 * tell cannot be seen to differ. */
	const struct facts *f = &c->side[BASE].runs[0].facts;
	for (uint32_t i = 0; i < f->n; i++) {
		if (strcmp(f->rows[i].name, last) && !is_known(f->rows[i].name))
			fact_compare(c, f->rows[i].name, f->rows[i].name, &l);
		last = f->rows[i].name;
	}
	if (l.n > FACTS_MOST)
		for (int s = 0; s < 2; s++)
			l.text[s] = arena_printf(c->a, "%s and %u more",
				l.text[s], l.n - FACTS_MOST);
	if (l.n)
		compare_finding_add(c, FINDING_fact_differs, l.text[BASE],
			l.text[HEAD]);
}

static void ranks_uneven(struct compare *c)
{
	uint32_t least[2] = { UINT32_MAX, UINT32_MAX }, most[2] = { 0, 0 };
	const char *text[2];
	for (int s = 0; s < 2; s++) {
		for (uint32_t i = 0; i < c->side[s].units_n; i++) {
			uint32_t n = c->side[s].units[i].runs_n;
			least[s] = n < least[s] ? n : least[s];
			most[s] = n > most[s] ? n : most[s];
		}
		text[s] = least[s] == most[s]
				  ? arena_printf(c->a, "%u", most[s])
				  : arena_printf(c->a, "%u to %u", least[s],
					    most[s]);
	}
	if (least[BASE] != most[HEAD] || least[HEAD] != most[BASE])
		compare_finding_add(c, FINDING_ranks_uneven, text[BASE],
			text[HEAD]);
}

static void rank_twice(struct compare *c)
{
	const char *list = NULL;
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].units_n; i++) {
			const struct compare_unit *u = &c->side[s].units[i];
			for (uint32_t r = 0, n; r < u->runs_n; r += n) {
				n = 1;
				while (r + n < u->runs_n &&
					u->runs[r + n]->rank ==
						u->runs[r]->rank)
					n++;
				if (n > 1 && u->runs[r]->rank >= 0)
					list = compare_text_join(c->a, list,
						arena_printf(c->a,
							"job %lld holds rank %d"
							" %u times",
							(long long)u->runs[r]
								->job,
							(int)u->runs[r]->rank,
							n));
			}
		}
	if (list)
		compare_finding_add(c, FINDING_rank_twice, list, NULL);
}

static bool one_device_with_collectives(const struct compared_run *r)
{
	const char *device = NULL;
	bool collectives = false;
	for (uint32_t i = 0; i < r->patterns.n; i++) {
		const struct pattern *p = &r->patterns.rows[i];
		if (compare_on_host(p->type))
			continue;
		collectives |= p->type == FUNCTION_gpu_comm;
		if (device && strcmp(device, p->device))
			return false;
		device = p->device;
	}
	return collectives && r->world_size != 1;
}

static void lone_rank(struct compare *c)
{
	const char *list = NULL;
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].units_n; i++) {
			const struct compare_unit *u = &c->side[s].units[i];
			if (u->runs_n == 1 &&
				one_device_with_collectives(u->runs[0]))
				list = compare_text_join(c->a, list,
					compare_text_run(c->a, u->runs[0]));
		}
	if (list)
		compare_finding_add(c, FINDING_lone_rank, list, NULL);
}

void compare_where_from(struct compare *c)
{
	devices_differ(c);
	facts_differ(c);
	ranks_uneven(c);
	rank_twice(c);
	lone_rank(c);
}
