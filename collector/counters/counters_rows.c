/* counters_rows.c - samples, devices and surroundings become rows. */
#include "counters_state.h"
#include "clock.h"
#include "scribe.h"
#include <stdio.h>
#include <string.h>

static int64_t own(struct scribe *s, const char *text)
{
	return scribe_text(s, TEXT_OWN, 0, text, strlen(text));
}

static void fact(struct scribe *s, const char *name, const char *value)
{
	if (*value)
		scribe_row(s, KST_fact,
			&(struct kst_fact){ .name = own(s, name),
				.value = own(s, value) });
}

/* "1980", or where devices differ "1980, 1410"; empty where none is told. */
static void joined(char to[static 256], const struct nvml *n,
	int64_t (*of)(const struct nvml_gpu *g))
{
	bool alike = true;
	size_t len = 0;
	*to = '\0';
	for (int i = 0; i < n->n; i++) {
		if (of(&n->gpu[i]) < 0)
			return;
		alike &= of(&n->gpu[i]) == of(&n->gpu[0]);
	}
	for (int i = 0; i < (alike && n->n ? 1 : n->n) && len < 230; i++)
		len += (size_t)snprintf(to + len, 256 - len, "%s%lld",
			i ? ", " : "", (long long)of(&n->gpu[i]));
}

static int64_t clock_max(const struct nvml_gpu *g)
{
	return g->sm_clock_max_mhz;
}

static int64_t power_cap(const struct nvml_gpu *g)
{
	return g->power_cap_mw < 0 ? -1 : (g->power_cap_mw + 500) / 1000;
}

static void gpus(const struct nvml *n, struct scribe *s)
{
	char text[256];
	for (int i = 0; i < n->n; i++) {
		const struct nvml_gpu *g = &n->gpu[i];
		scribe_row(s, KST_device,
			&(struct kst_device){ .number = g->number,
				.name = *g->name ? own(s, g->name) : 0,
				.sm_count = g->sm_count,
				.compute_major = g->major,
				.compute_minor = g->minor,
				.memory_bytes = g->memory_bytes });
	}
	fact(s, "driver", n->driver);
	joined(text, n, clock_max);
	fact(s, "sm_clock_max_mhz", text);
	joined(text, n, power_cap);
	fact(s, "power_cap_w", text);
	if (n->order_unknown)
		scribe_note(s, "device_order", n->order_unknown, "");
}

static void told(struct counters *c, struct scribe *s)
{
	int64_t beyond = atomic_load(&c->host.tasks.most_beyond);
	if (!c->told_gpus && nvml_ready(&c->nvml)) {
		gpus(&c->nvml, s);
		c->told_gpus = true;
	}
	if (!c->told_host && c->sampler[SAMPLER_HOST].to) {
		fact(s, "cpu", c->host.model);
		c->told_host = true;
	}
	if (!c->told_tasks && beyond) {
		scribe_note(s, "tasks_beyond", beyond, "");
		c->told_tasks = true;
	}
}

static int64_t name_of(struct counters *c, struct scribe *s, enum counter of)
{
	if (c->text[of] <= 0)
		c->text[of] = own(s, counter_name(of));
	return c->text[of];
}

void counters_drain(struct counters *c, struct scribe *s)
{
	struct sample one;
	bool any = false;
	if (!c)
		return;
	for (int i = 0; i < SAMPLERS; i++) {
		struct samples *from = c->sampler[i].to;
		while (from && samples_next(from, &one)) {
			scribe_row(s, KST_counter,
				&(struct kst_counter){ .start_ns = one.at_ns,
					.name = name_of(c, s, one.counter),
					.device = one.device,
					.value = one.value });
			any = true;
		}
	}
	/* Surroundings alone begin no capture. */
	if (any)
		told(c, s);
}

void counters_again(struct counters *c)
{
	if (!c)
		return;
	c->told_gpus = c->told_host = c->told_tasks = false;
	memset(c->text, 0, sizeof c->text);
}

int64_t counters_dropped(struct counters *c)
{
	int64_t n = 0;
	for (int i = 0; c && i < SAMPLERS; i++)
		if (c->sampler[i].to)
			n += samples_dropped(c->sampler[i].to);
	return n;
}
