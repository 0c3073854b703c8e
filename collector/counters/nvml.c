/* nvml.c - opens NVML and finds the GPUs that CUDA shows the process. */
#include "nvml.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The cast that dlsym() needs, in one place. */
static void symbol(void *handle, const char *name, const char *older, void *to)
{
	void *at = dlsym(handle, name);
	if (!at && older)
		at = dlsym(handle, older);
	memcpy(to, &at, sizeof at);
}

static void resolve(struct nvml *n)
{
#define NVML(field, name, older, arguments) \
	symbol(n->handle, name, older, &n->call.field);
#include "nvml.def"
#undef NVML
}

static bool refuse(char sentence[static 256], int result)
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

/* How many cores an SM of this kind has; 0 unknown. */
static unsigned int cores_per_sm(int major, int minor)
{
	if (major == 7 || (major == 8 && minor == 0))
		return 64;
	if (major >= 8 && major <= 12)
		return 128;
	return 0;
}

static void describe(const struct nvml_calls *c, struct nvml_gpu *g)
{
	struct nvml_memory memory;
	unsigned int v, per_sm = 0;
	g->major = g->minor = -1;
	g->sm_count = g->memory_bytes = -1;
	g->sm_clock_max_mhz = g->power_cap_mw = -1;
	if (!c->name || c->name(g->handle, g->name, sizeof g->name))
		g->name[0] = '\0';
	if (c->capability && !c->capability(g->handle, &g->major, &g->minor))
		per_sm = cores_per_sm(g->major, g->minor);
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

/* The machine's GPUs, which has `total` of them; how many could be named. */
static int all(const struct nvml_calls *c, unsigned int total,
	nvml_device handles[static VISIBLE_MAX],
	struct visible_gpu gpus[static VISIBLE_MAX])
{
	int n = 0;
	for (unsigned int i = 0; i < total && n < VISIBLE_MAX; i++, n++) {
		/* One that fell off the bus keeps its place, without a handle. */
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

static void find(struct nvml *n, const struct nvml_place *p, unsigned int total)
{
	const struct nvml_calls *c = &n->call;
	nvml_device handles[VISIBLE_MAX];
	struct visible_gpu gpus[VISIBLE_MAX];
	struct visible v;
	int count = all(c, total, handles, gpus);
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
		describe(c, g);
		n->n++;
	}
}

/* Pids that NVML tells are those of the first namespace, whose number is the
 * same in every kernel. */
static bool first_namespace(const char *proc)
{
	static const char first[] = "pid:[4026531836]";
	char path[256], text[64];
	int len = snprintf(path, sizeof path, "%s/self/ns/pid", proc);
	if (len < 0 || (size_t)len >= sizeof path)
		return false;
	ssize_t got = readlink(path, text, sizeof text);
	return got == sizeof first - 1 && !memcmp(text, first, (size_t)got);
}

static bool start(struct nvml *n, const struct nvml_place *p,
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
	resolve(n);
	if (!n->call.init || !n->call.count || !n->call.by_index) {
		snprintf(sentence, 256,
			"'%.100s' is no NVML; GPU counters are not recorded",
			p->library);
		return false;
	}
	result = n->call.init();
	if (result)
		return refuse(sentence, result);
	result = n->call.count(&total);
	if (result) {
		if (n->call.shutdown)
			n->call.shutdown();
		return refuse(sentence, result);
	}
	if (!n->call.driver || n->call.driver(n->driver, sizeof n->driver))
		n->driver[0] = '\0';
	n->first_namespace = first_namespace(p->proc);
	find(n, p, total);
	return true;
}

bool nvml_open(struct nvml *n, const struct nvml_place *p,
	char sentence[static 256])
{
	sentence[0] = '\0';
	if (!nvml_ready(n)) {
		if (!start(n, p, sentence))
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
