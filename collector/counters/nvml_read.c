/* nvml_read.c - one turn of readings, GPU by GPU. */
#include "nvml.h"
#include "say.h"
#include <assert.h>
#include <unistd.h>

static_assert(COUNTERS <= 32, "a series has a bit");

/* One GPU's turn. */
struct turn {
	struct nvml *n;
	struct nvml_gpu *g;
	struct samples *to;
};

static bool on(const struct turn *t, enum counter c)
{
	return !atomic_load_explicit(&t->g->lost, memory_order_relaxed) &&
	       !(atomic_load_explicit(&t->g->off, memory_order_relaxed) &
		       1u << c);
}

/* A call's result: false switches off what it was for. */
static bool ok(const struct turn *t, enum counter c, int result)
{
	if (result == NVML_OK)
		return true;
	if (result == NVML_GPU_LOST) {
		if (!atomic_exchange(&t->g->lost, true))
			say("GPU %d fell off the bus; its counters end here",
				(int)t->g->number);
		return false;
	}
	atomic_fetch_or(&t->g->off, 1u << c);
	if (!(atomic_fetch_or(&t->n->said, 1u << c) & 1u << c))
		say("%s is not told of GPU %d: NVML says %d", counter_name(c),
			(int)t->g->number, result);
	return false;
}

static void put(const struct turn *t, enum counter c, double value)
{
	samples_put(t->to, &(struct sample){ samples_now(t->to).real_ns, value,
				   t->g->number, c });
}

static void usage(const struct turn *t)
{
	struct nvml_utilization u;
	if (ok(t, COUNTER_gpu_usage, t->n->call.utilization(t->g->handle, &u)))
		put(t, COUNTER_gpu_usage, u.gpu);
}

static void clock_of(const struct turn *t, enum counter c, int domain)
{
	unsigned int mhz;
	if (on(t, c) && ok(t, c, t->n->call.clock(t->g->handle, domain, &mhz)))
		put(t, c, mhz);
}

static void memory(const struct turn *t)
{
	struct nvml_memory m;
	if (ok(t, COUNTER_gpu_mem_used, t->n->call.memory(t->g->handle, &m)))
		put(t, COUNTER_gpu_mem_used, (double)m.used);
}

static void power(const struct turn *t)
{
	unsigned int mw;
	if (ok(t, COUNTER_gpu_power, t->n->call.power(t->g->handle, &mw)))
		put(t, COUNTER_gpu_power, mw / 1000.0);
}

static void held(const struct turn *t)
{
	unsigned long long reasons;
	if (ok(t, COUNTER_gpu_clock_held,
		    t->n->call.held(t->g->handle, &reasons)))
		put(t, COUNTER_gpu_clock_held, reasons & NVML_HELD ? 100 : 0);
}

static void energy(const struct turn *t)
{
	unsigned long long mj;
	double per_s;
	if (ok(t, COUNTER_gpu_power_mean,
		    t->n->call.energy(t->g->handle, &mj)) &&
		rate_next(&t->g->energy, mj, samples_now(t->to).steady_ns,
			&per_s))
		put(t, COUNTER_gpu_power_mean, per_s / 1000);
}

static void temperature(const struct turn *t)
{
	unsigned int celsius;
	if (ok(t, COUNTER_gpu_temperature,
		    t->n->call.temperature(t->g->handle, NVML_DIE, &celsius)))
		put(t, COUNTER_gpu_temperature, celsius);
}

/* The newest reading of this process; where NVML has none, nothing is told. */
static void process(const struct turn *t)
{
	struct nvml_process *list = t->n->process;
	unsigned int n = NVML_PROCESSES, pid = (unsigned int)getpid();
	unsigned long long newest_us = 0, ours_us = 0;
	int ours = -1;
	int result =
		t->n->call.processes(t->g->handle, list, &n, t->g->since_us);
	if (result == NVML_NOT_FOUND || result == NVML_TOO_SMALL ||
		!ok(t, COUNTER_process_gpu_usage, result))
		return;
	for (unsigned int i = 0; i < n && i < NVML_PROCESSES; i++) {
		if (list[i].at_us > newest_us)
			newest_us = list[i].at_us;
		if (list[i].pid == pid && list[i].at_us > ours_us) {
			ours_us = list[i].at_us;
			ours = (int)list[i].sm;
		}
	}
	if (newest_us > t->g->since_us)
		t->g->since_us = newest_us;
	if (ours >= 0)
		put(t, COUNTER_process_gpu_usage, ours);
}

/* KiB since the driver was loaded, all links together. */
static void link_of(const struct turn *t, enum counter c,
	const struct nvml_field *f, struct rate *r, int64_t at_ns)
{
	double per_s;
	if (!on(t, c) || !ok(t, c, f->result))
		return;
	uint64_t kib = f->type == NVML_UINT    ? f->value.u
		       : f->type == NVML_ULONG ? f->value.ul
					       : f->value.ull;
	if (rate_next(r, kib, at_ns, &per_s))
		put(t, c, per_s * 1024);
}

static void links(const struct turn *t)
{
	struct nvml_field f[] = {
		{ .id = NVML_LINK_TRANSMIT, .scope = NVML_ALL_LINKS },
		{ .id = NVML_LINK_RECEIVE, .scope = NVML_ALL_LINKS },
	};
	int result = t->n->call.fields(t->g->handle, 2, f);
	if (!ok(t, COUNTER_gpu_link_transmit, result)) {
		ok(t, COUNTER_gpu_link_receive, result);
		return;
	}
	int64_t at_ns = samples_now(t->to).steady_ns;
	link_of(t, COUNTER_gpu_link_transmit, &f[0], &t->g->transmit, at_ns);
	link_of(t, COUNTER_gpu_link_receive, &f[1], &t->g->receive, at_ns);
}

static void fast(const struct turn *t)
{
	const struct nvml_calls *c = &t->n->call;
	if (c->utilization && on(t, COUNTER_gpu_usage))
		usage(t);
	if (c->clock) {
		clock_of(t, COUNTER_gpu_frequency, NVML_GRAPHICS);
		clock_of(t, COUNTER_gpu_sm_frequency, NVML_SM);
		clock_of(t, COUNTER_gpu_mem_frequency, NVML_MEM);
	}
	if (c->memory && on(t, COUNTER_gpu_mem_used))
		memory(t);
	if (c->power && on(t, COUNTER_gpu_power))
		power(t);
	if (c->held && on(t, COUNTER_gpu_clock_held))
		held(t);
}

static void slow(const struct turn *t)
{
	const struct nvml_calls *c = &t->n->call;
	if (c->energy && on(t, COUNTER_gpu_power_mean))
		energy(t);
	if (c->temperature && on(t, COUNTER_gpu_temperature))
		temperature(t);
	if (c->processes && t->n->first_namespace &&
		on(t, COUNTER_process_gpu_usage))
		process(t);
	if (c->fields && (on(t, COUNTER_gpu_link_transmit) ||
				 on(t, COUNTER_gpu_link_receive)))
		links(t);
}

void nvml_round(struct nvml *n, struct samples *to, nvml_stop_fn *stop,
	void *ctx)
{
	bool second =
		cadence_second(&n->slow_due_ns, samples_now(to).steady_ns);
	for (int i = 0; i < n->n && !stop(ctx); i++) {
		struct turn t = { n, &n->gpu[i], to };
		fast(&t);
		if (second)
			slow(&t);
	}
}

static void pcie(const struct turn *t, enum counter c, int direction)
{
	unsigned int kb_s;
	if (t->n->call.pcie && on(t, c) &&
		ok(t, c, t->n->call.pcie(t->g->handle, direction, &kb_s)))
		put(t, c, kb_s * 1000.0);
}

void nvml_pcie(struct nvml *n, struct samples *to, nvml_stop_fn *stop,
	void *ctx)
{
	for (int i = 0; i < n->n; i++) {
		struct turn t = { n, &n->gpu[i], to };
		if (stop(ctx))
			return;
		pcie(&t, COUNTER_gpu_pcie_transmit, NVML_TRANSMIT);
		if (stop(ctx))
			return;
		pcie(&t, COUNTER_gpu_pcie_receive, NVML_RECEIVE);
	}
}
