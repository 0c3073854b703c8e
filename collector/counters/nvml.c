/* nvml.c - counters of GPUs, read through NVML. */
#include "nvml.h"
#include "log.h"
#include "nvml_abi.h"
#include "visible.h"
#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static_assert(COUNTERS <= 32, "a series has a bit");

/* The state of one GPU's reading. */
struct nvml_turn {
	struct nvml *n;
	struct nvml_gpu *g;
	struct samples *to;
};

static bool nvml_is_on(const struct nvml_turn *t, enum counter c)
{
	return !atomic_load_explicit(&t->g->lost, memory_order_relaxed) &&
	       !(atomic_load_explicit(&t->g->off, memory_order_relaxed) &
		       1u << c);
}

/* Checks the result of a call. False switches off the call's counter. */
static bool nvml_succeeded(const struct nvml_turn *t, enum counter c,
	int result)
{
	if (result == NVML_OK)
		return true;
	if (result == NVML_GPU_LOST) {
		if (!atomic_exchange(&t->g->lost, true))
			log_line("GPU %d fell off the bus; its counters end "
				 "here",
				(int)t->g->number);
		return false;
	}
	atomic_fetch_or(&t->g->off, 1u << c);
	if (!(atomic_fetch_or(&t->n->logged, 1u << c) & 1u << c))
		log_line("%s is not recorded for GPU %d: NVML returns %d",
			counter_name(c), (int)t->g->number, result);
	return false;
}

static void nvml_put(const struct nvml_turn *t, enum counter c, double value)
{
	samples_put(t->to, &(struct sample){ samples_now(t->to).real_ns, value,
				   t->g->number, c });
}

static void nvml_usage(const struct nvml_turn *t)
{
	struct nvml_utilization u;
	if (nvml_succeeded(t, COUNTER_gpu_usage,
		    t->n->call.utilization(t->g->handle, &u)))
		nvml_put(t, COUNTER_gpu_usage, u.gpu);
}

static void nvml_clock_of(const struct nvml_turn *t, enum counter c, int domain)
{
	unsigned int mhz;
	if (nvml_is_on(t, c) &&
		nvml_succeeded(t, c,
			t->n->call.clock(t->g->handle, domain, &mhz)))
		nvml_put(t, c, mhz);
}

static void nvml_memory(const struct nvml_turn *t)
{
	struct nvml_memory m;
	if (nvml_succeeded(t, COUNTER_gpu_mem_used,
		    t->n->call.memory(t->g->handle, &m)))
		nvml_put(t, COUNTER_gpu_mem_used, (double)m.used);
}

static void nvml_power(const struct nvml_turn *t)
{
	unsigned int mw;
	if (nvml_succeeded(t, COUNTER_gpu_power,
		    t->n->call.power(t->g->handle, &mw)))
		nvml_put(t, COUNTER_gpu_power, mw / 1000.0);
}

static void nvml_clock_limits(const struct nvml_turn *t)
{
	unsigned long long reasons;
	if (nvml_succeeded(t, COUNTER_gpu_clock_held,
		    t->n->call.clock_reasons(t->g->handle, &reasons)))
		nvml_put(t, COUNTER_gpu_clock_held,
			reasons & NVML_CLOCKS_LIMITED ? 100 : 0);
}

static void nvml_energy(const struct nvml_turn *t)
{
	unsigned long long mj;
	double per_s;
	if (nvml_succeeded(t, COUNTER_gpu_power_mean,
		    t->n->call.energy(t->g->handle, &mj)) &&
		rate_next(&t->g->energy, mj, samples_now(t->to).steady_ns,
			&per_s))
		nvml_put(t, COUNTER_gpu_power_mean, per_s / 1000);
}

static void nvml_temperature(const struct nvml_turn *t)
{
	unsigned int celsius;
	if (nvml_succeeded(t, COUNTER_gpu_temperature,
		    t->n->call.temperature(t->g->handle, NVML_DIE, &celsius)))
		nvml_put(t, COUNTER_gpu_temperature, celsius);
}

/* Writes the newest value for this process. Writes nothing if NVML has no
 * value. */
static void nvml_process(const struct nvml_turn *t)
{
	struct nvml_process *list = t->n->process;
	unsigned int n = NVML_PROCESSES, pid = (unsigned int)getpid();
	unsigned long long newest_us = 0, ours_us = 0;
	int ours = -1;
	int result =
		t->n->call.processes(t->g->handle, list, &n, t->g->since_us);
	if (result == NVML_NOT_FOUND || result == NVML_TOO_SMALL ||
		!nvml_succeeded(t, COUNTER_process_gpu_usage, result))
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
		nvml_put(t, COUNTER_process_gpu_usage, ours);
}

/* In KiB since the driver was loaded, for all links together. */
static void nvml_link_of(const struct nvml_turn *t, enum counter c,
	const struct nvml_field *f, struct rate *r, int64_t at_ns)
{
	double per_s;
	if (!nvml_is_on(t, c) || !nvml_succeeded(t, c, f->result))
		return;
	uint64_t kib = f->type == NVML_UINT    ? f->value.u
		       : f->type == NVML_ULONG ? f->value.ul
					       : f->value.ull;
	if (rate_next(r, kib, at_ns, &per_s))
		nvml_put(t, c, per_s * 1024);
}

static void nvml_links(const struct nvml_turn *t)
{
	struct nvml_field f[] = {
		{ .id = NVML_LINK_TRANSMIT, .scope = NVML_ALL_LINKS },
		{ .id = NVML_LINK_RECEIVE, .scope = NVML_ALL_LINKS },
	};
	int result = t->n->call.fields(t->g->handle, 2, f);
	if (!nvml_succeeded(t, COUNTER_gpu_link_transmit, result)) {
		nvml_succeeded(t, COUNTER_gpu_link_receive, result);
		return;
	}
	int64_t at_ns = samples_now(t->to).steady_ns;
	nvml_link_of(t, COUNTER_gpu_link_transmit, &f[0], &t->g->transmit,
		at_ns);
	nvml_link_of(t, COUNTER_gpu_link_receive, &f[1], &t->g->receive, at_ns);
}

static void nvml_fast(const struct nvml_turn *t)
{
	const struct nvml_calls *c = &t->n->call;
	if (c->utilization && nvml_is_on(t, COUNTER_gpu_usage))
		nvml_usage(t);
	if (c->clock) {
		nvml_clock_of(t, COUNTER_gpu_frequency, NVML_GRAPHICS);
		nvml_clock_of(t, COUNTER_gpu_sm_frequency, NVML_SM);
		nvml_clock_of(t, COUNTER_gpu_mem_frequency, NVML_MEM);
	}
	if (c->memory && nvml_is_on(t, COUNTER_gpu_mem_used))
		nvml_memory(t);
	if (c->power && nvml_is_on(t, COUNTER_gpu_power))
		nvml_power(t);
	if (c->clock_reasons && nvml_is_on(t, COUNTER_gpu_clock_held))
		nvml_clock_limits(t);
}

static void nvml_slow(const struct nvml_turn *t)
{
	const struct nvml_calls *c = &t->n->call;
	if (c->energy && nvml_is_on(t, COUNTER_gpu_power_mean))
		nvml_energy(t);
	if (c->temperature && nvml_is_on(t, COUNTER_gpu_temperature))
		nvml_temperature(t);
	if (c->processes && t->n->first_namespace &&
		nvml_is_on(t, COUNTER_process_gpu_usage))
		nvml_process(t);
	if (c->fields && (nvml_is_on(t, COUNTER_gpu_link_transmit) ||
				 nvml_is_on(t, COUNTER_gpu_link_receive)))
		nvml_links(t);
}

void nvml_round(struct nvml *n, struct samples *to, nvml_stop_fn *stop,
	void *ctx)
{
	bool second =
		cadence_second(&n->slow_due_ns, samples_now(to).steady_ns);
	for (int i = 0; i < n->n && !stop(ctx); i++) {
		struct nvml_turn t = { n, &n->gpu[i], to };
		nvml_fast(&t);
		if (second)
			nvml_slow(&t);
	}
}

static void nvml_pcie_one(const struct nvml_turn *t, enum counter c,
	int direction)
{
	unsigned int kb_s;
	if (t->n->call.pcie && nvml_is_on(t, c) &&
		nvml_succeeded(t, c,
			t->n->call.pcie(t->g->handle, direction, &kb_s)))
		nvml_put(t, c, kb_s * 1000.0);
}

void nvml_pcie(struct nvml *n, struct samples *to, nvml_stop_fn *stop,
	void *ctx)
{
	for (int i = 0; i < n->n; i++) {
		struct nvml_turn t = { n, &n->gpu[i], to };
		if (stop(ctx))
			return;
		nvml_pcie_one(&t, COUNTER_gpu_pcie_transmit, NVML_TRANSMIT);
		if (stop(ctx))
			return;
		nvml_pcie_one(&t, COUNTER_gpu_pcie_receive, NVML_RECEIVE);
	}
}

/* The cast that dlsym() needs, in one place. */
static void nvml_symbol(void *handle, const char *name, const char *older,
	void *to)
{
	void *at = dlsym(handle, name);
	if (!at && older)
		at = dlsym(handle, older);
	memcpy(to, &at, sizeof at);
}

static void nvml_resolve(struct nvml *n)
{
#define NVML(field, name, older, arguments) \
	nvml_symbol(n->handle, name, older, &n->call.field);
#include "nvml.def"
#undef NVML
}

static bool nvml_refuse(char sentence[static 256], int result)
{
	const char *why = result == NVML_NO_DRIVER ? "no driver is loaded"
			  : result == NVML_MISMATCH
				  ? "it is not of the driver's version; the "
				    "driver was updated without a restart"
				  : "it refuses";
	snprintf(sentence, 256,
		"NVML cannot be used: %s (%d); GPU counters are not recorded",
		why, result);
	return false;
}

/* The number of cores of an SM of this kind; 0 if unknown. */
static unsigned int nvml_cores_per_sm(int major, int minor)
{
	if (major == 7 || (major == 8 && minor == 0))
		return 64;
	if (major >= 8 && major <= 12)
		return 128;
	return 0;
}

static void nvml_describe(const struct nvml_calls *c, struct nvml_gpu *g)
{
	struct nvml_memory memory;
	unsigned int v, per_sm = 0;
	g->major = g->minor = -1;
	g->sm_count = g->memory_bytes = -1;
	g->sm_clock_max_mhz = g->power_cap_mw = -1;
	if (!c->name || c->name(g->handle, g->name, sizeof g->name))
		g->name[0] = '\0';
	if (!c->uuid || c->uuid(g->handle, g->uuid, sizeof g->uuid))
		g->uuid[0] = '\0';
	if (c->capability && !c->capability(g->handle, &g->major, &g->minor))
		per_sm = nvml_cores_per_sm(g->major, g->minor);
	else
		g->major = g->minor = -1;
	if (per_sm && c->cores && !c->cores(g->handle, &v) && v % per_sm == 0)
		g->sm_count = v / per_sm;
	if (c->memory && !c->memory(g->handle, &memory))
		g->memory_bytes = (int64_t)memory.total;
	if (c->clock_max && !c->clock_max(g->handle, NVML_SM, &v))
		g->sm_clock_max_mhz = v;
	if (c->power_cap && !c->power_cap(g->handle, &v))
		g->power_cap_mw = v;
}

/* Reads handle, UUID and name of the machine's `total` GPUs, as far as NVML
 * knows them. Returns the number of entries. */
static int nvml_all_processes(const struct nvml_calls *c, unsigned int total,
	nvml_device handles[static VISIBLE_MAX],
	struct visible_gpu gpus[static VISIBLE_MAX])
{
	int n = 0;
	for (unsigned int i = 0; i < total && n < VISIBLE_MAX; i++, n++) {
		/* A GPU that fell off the bus keeps its index, without a
		 * handle. */
		if (c->by_index(i, &handles[n]))
			handles[n] = NULL;
		if (!handles[n] || !c->uuid ||
			c->uuid(handles[n], gpus[n].uuid, VISIBLE_TEXT))
			gpus[n].uuid[0] = '\0';
		if (!handles[n] || !c->name ||
			c->name(handles[n], gpus[n].name, VISIBLE_TEXT))
			gpus[n].name[0] = '\0';
	}
	return n;
}

static void nvml_find_gpus(struct nvml *n, const struct nvml_place *p,
	unsigned int total)
{
	const struct nvml_calls *c = &n->call;
	nvml_device handles[VISIBLE_MAX];
	struct visible_gpu gpus[VISIBLE_MAX];
	struct visible v;
	int count = nvml_all_processes(c, total, handles, gpus);
	visible_from(&v, gpus, count, p->visible, p->order);
	n->order_unknown = v.unknown ? count : 0;
	n->n = 0;
	for (int i = 0; i < v.n; i++) {
		struct nvml_gpu *g = &n->gpu[n->n];
		*g = (struct nvml_gpu){ .number = i };
		if (v.gpu[i] >= 0)
			g->handle = handles[v.gpu[i]];
		else if (!c->by_uuid || c->by_uuid(v.mig[i], &g->handle))
			g->handle = NULL;
		if (!g->handle)
			continue;
		nvml_describe(c, g);
		n->n++;
	}
}

/* Whether this process is in the first pid namespace, whose inode number is
 * the same in every kernel. NVML returns pids of that namespace. */
static bool nvml_first_namespace(const char *proc)
{
	static const char first[] = "pid:[4026531836]";
	char path[256], text[64];
	int len = snprintf(path, sizeof path, "%s/self/ns/pid", proc);
	if (len < 0 || (size_t)len >= sizeof path)
		return false;
	ssize_t got = readlink(path, text, sizeof text);
	return got == sizeof first - 1 && !memcmp(text, first, (size_t)got);
}

static bool nvml_start(struct nvml *n, const struct nvml_place *p,
	char sentence[static 256])
{
	unsigned int total = 0;
	int result;
	if (!n->handle)
		n->handle = dlopen(p->library, RTLD_NOW | RTLD_LOCAL);
	if (!n->handle) {
		snprintf(sentence, 256,
			"there is no NVML as '%.100s'; GPU counters are not "
			"recorded",
			p->library);
		return false;
	}
	nvml_resolve(n);
	if (!n->call.init || !n->call.count || !n->call.by_index) {
		snprintf(sentence, 256,
			"'%.100s' is no NVML; GPU counters are not recorded",
			p->library);
		return false;
	}
	result = n->call.init();
	if (result)
		return nvml_refuse(sentence, result);
	result = n->call.count(&total);
	if (result) {
		if (n->call.shutdown)
			n->call.shutdown();
		return nvml_refuse(sentence, result);
	}
	if (!n->call.driver || n->call.driver(n->driver, sizeof n->driver))
		n->driver[0] = '\0';
	n->first_namespace = nvml_first_namespace(p->proc);
	nvml_find_gpus(n, p, total);
	return true;
}

bool nvml_open(struct nvml *n, const struct nvml_place *p,
	char sentence[static 256])
{
	sentence[0] = '\0';
	if (!nvml_ready(n)) {
		if (!nvml_start(n, p, sentence))
			return false;
		atomic_store_explicit(&n->ready, true, memory_order_release);
	}
	n->slow_due_ns = 0;
	for (int i = 0; i < n->n; i++) {
		struct nvml_gpu *g = &n->gpu[i];
		atomic_store(&g->off, 0);
		g->energy.known = g->transmit.known = g->receive.known = false;
	}
	return true;
}

bool nvml_ready(struct nvml *n)
{
	return atomic_load_explicit(&n->ready, memory_order_acquire);
}

void nvml_close(struct nvml *n)
{
	if (nvml_ready(n) && n->call.shutdown)
		n->call.shutdown();
	atomic_store(&n->ready, false);
	if (n->handle)
		dlclose(n->handle);
	n->handle = NULL;
}
