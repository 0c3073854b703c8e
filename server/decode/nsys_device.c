/* nsys_device.c - the GPUs of the machine, as each process numbers them. */
#include "nsys.h"

/* More devices than any machine has; what lies beyond has no description. */
enum { USES_MOST = 512 };

bool nsys_used(struct nsys *n, uint16_t process, int32_t device)
{
	for (uint32_t k = 0; k < n->uses_n; k++) {
		uint32_t i = (n->use_last + k) % n->uses_n;
		if (n->uses[i].process == process &&
			n->uses[i].device == device) {
			n->use_last = i;
			return true;
		}
	}
	if (device < 0 || n->uses_n == USES_MOST)
		return true;
	if (!n->uses)
		n->uses = arena_array(n->trace->arena, struct nsys_use,
			USES_MOST);
	if (!n->uses)
		return false;
	n->uses[n->uses_n++] = (struct nsys_use){ process, device, -1, 0 };
	return true;
}

/* A process may see fewer GPUs than there are, and count them anew. */
enum { CUDA_PID, CUDA_DEVICE, CUDA_GPU, CUDA_COLUMNS };
static const struct sqlite_column cuda_columns[CUDA_COLUMNS] = {
	[CUDA_PID] = { "pid", true },
	[CUDA_DEVICE] = { "cudaId", true },
	[CUDA_GPU] = { "gpuId", true },
};

static bool take_cuda(struct nsys *n, struct sqlite_rows *r, struct err *e)
{
	int64_t pid = sqlite_int_or(r, CUDA_PID, -1);
	int64_t device = sqlite_int_or(r, CUDA_DEVICE, -1);
	(void)e;
	for (uint32_t i = 0; i < n->uses_n; i++) {
		struct nsys_use *u = &n->uses[i];
		if (u->device == device &&
			n->trace->processes[u->process].pid == pid)
			u->gpu = sqlite_int_or(r, CUDA_GPU, -1);
	}
	return true;
}

enum { ID, NAME, SMS, MAJOR, MINOR, MEMORY, CLOCK, COLUMNS };
static const struct sqlite_column columns[COLUMNS] = {
	[ID] = { "id", true },
	[NAME] = { "name", false },
	[SMS] = { "smCount", false },
	[MAJOR] = { "computeMajor", false },
	[MINOR] = { "computeMinor", false },
	[MEMORY] = { "totalMemory", false },
	[CLOCK] = { "clockRate", false }, /* Hz */
};

static bool take_gpu(struct nsys *n, struct sqlite_rows *r, struct err *e)
{
	struct trace *t = n->trace;
	int64_t id = sqlite_int_or(r, ID, -1);
	struct device d = { .sm_count = sqlite_small(r, SMS),
		.compute_major = sqlite_small(r, MAJOR),
		.compute_minor = sqlite_small(r, MINOR),
		.memory_bytes = sqlite_int_or(r, MEMORY, -1) };
	if (d.memory_bytes < 0)
		d.memory_bytes = -1;
	d.name = sqlite_text(r, NAME, &n->text);
	if (d.name == NAMES_NONE)
		return arena_err(t->arena, e);
	for (uint32_t i = 0; i < n->uses_n; i++) {
		struct nsys_use *u = &n->uses[i];
		d.process = u->process;
		d.number = u->device;
		if (u->gpu == id)
			u->clock_mhz = sqlite_int_or(r, CLOCK, 0) / 1000000;
		if (u->gpu == id && !trace_device(t, u->process, u->device))
			t->devices[t->devices_n++] = d;
	}
	return true;
}

bool nsys_devices(struct nsys *n, struct err *e)
{
	struct trace *t = n->trace;
	if (n->uses_n == 0)
		return true;
	t->devices = arena_array(t->arena, struct device, n->uses_n);
	if (!t->devices)
		return arena_err(t->arena, e);
	if (!nsys_walk(n, "TARGET_INFO_CUDA_DEVICE", cuda_columns, CUDA_COLUMNS,
		    take_cuda, e))
		return false;
	for (uint32_t i = 0; i < n->uses_n; i++)
		if (n->uses[i].gpu < 0)
			n->uses[i].gpu = n->uses[i].device;
	return nsys_walk(n, "TARGET_INFO_GPU", columns, COLUMNS, take_gpu, e);
}
