/* fake_nvml.c - an NVML whose GPUs are set by the environment.
 *
 * The environment variable FAKE_NVML, read by nvmlInit, has words:
 *   gpus=N           number of GPUs; 2
 *   mixed            the second one is of another kind
 *   init=CODE        what nvmlInit returns
 *   fail=CALL:CODE   what a call returns, by its symbol
 *   absent=N         the GPU that has no handle, by NVML's index
 *   lost=GPU:TURN    from that call of nvmlDeviceGetUtilizationRates on (the
 *                    first is 1) every call of the GPU returns 15
 *   slow=MS          duration of each reading
 *   pcie=MS          duration of a reading of PCIe; 20
 *   link32           NVLink's counters have 32 bits
 *   ready=TURN:PATH  creates a file at that reading of the first GPU
 * Values depend on the GPU's index and the number of readings, so that a test
 * can compute them. With FAKE_NVML_OLD it is built as an old library, which has
 * only a few calls, in their first versions. */
#include "fake_nvml.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct fake fake;

static int word(const char *name, int otherwise)
{
	size_t len = strlen(name);
	for (const char *p = fake.words; *p; p += strspn(p, " ")) {
		if (!strncmp(p, name, len) && p[len] == '=')
			return atoi(p + len + 1);
		p += strcspn(p, " ");
	}
	return otherwise;
}

static bool flag(const char *name)
{
	const char *p = strstr(fake.words, name);
	return p && strchr(" ", p[strlen(name)]);
}

int fake_result(const char *call)
{
	char key[128];
	snprintf(key, sizeof key, "fail=%s:", call);
	const char *p = strstr(fake.words, key);
	return p ? atoi(p + strlen(key)) : NVML_OK;
}

void fake_pause(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };
	if (ms > 0)
		nanosleep(&t, NULL);
}

static int gone(const struct nvml_handle *d)
{
	return d->index == fake.lost && d->reads >= fake.lost_turn
		       ? NVML_GPU_LOST
		       : NVML_OK;
}

int fake_ask(struct nvml_handle *d, const char *call)
{
	int code = fake_result(call);
	fake.busy++;
	fake_pause(fake.slow_ms);
	fake.busy--;
	return gone(d) ? gone(d) : code;
}

static int start(const char *call)
{
	const char *words = getenv("FAKE_NVML");
	snprintf(fake.words, sizeof fake.words, "%s", words ? words : "");
	const char *lost = strstr(fake.words, "lost=");
	fake.gpus = word("gpus", 2);
	fake.absent = word("absent", -1);
	fake.slow_ms = word("slow", 0);
	fake.pcie_ms = word("pcie", 20);
	fake.mixed = flag("mixed");
	fake.link32 = flag("link32");
	fake.lost = -1;
	fake.lost_turn = 0;
	fake.pcie = 0;
	if (lost)
		sscanf(lost, "lost=%d:%d", &fake.lost, &fake.lost_turn);
	for (int i = 0; i < GPUS; i++) {
		fake.gpu[i].index = i;
		fake.gpu[i].reads = fake.gpu[i].energy = fake.gpu[i].links = 0;
	}
	int code = word("init", fake_result(call));
	fake.open += code == NVML_OK;
	return code;
}

static int count(unsigned int *n)
{
	*n = (unsigned int)fake.gpus;
	return fake.open ? fake_result("nvmlDeviceGetCount_v2") : 1;
}

static int handle(unsigned int index, nvml_device *d)
{
	if ((int)index == fake.absent)
		return NVML_GPU_LOST;
	if (index >= (unsigned int)fake.gpus || index >= GPUS)
		return NVML_NOT_FOUND;
	*d = &fake.gpu[index];
	return NVML_OK;
}

CALL nvmlShutdown(void)
{
	fake.open--;
	return NVML_OK;
}

/* For tests: how many times NVML is open; the number of calls in progress; how
 * many times the utilization of a GPU was read, and PCIe of all GPUs. */
CALL fake_nvml_open(void)
{
	return fake.open;
}
CALL fake_nvml_busy(void)
{
	return fake.busy;
}
CALL fake_nvml_reads(int gpu)
{
	return fake.gpu[gpu].reads;
}
CALL fake_nvml_pcie(void)
{
	return fake.pcie;
}

CALL nvmlSystemGetDriverVersion(char *text, unsigned int room)
{
	snprintf(text, room, "580.65.06");
	return fake_result("nvmlSystemGetDriverVersion");
}

CALL nvmlDeviceGetName(nvml_device d, char *text, unsigned int room)
{
	snprintf(text, room,
		fake.mixed && d->index == 1 ? "FAKE B1" : "FAKE A1");
	return fake_result("nvmlDeviceGetName");
}

CALL nvmlDeviceGetUUID(nvml_device d, char *text, unsigned int room)
{
	snprintf(text, room, "GPU-%08x-0000-0000-0000-000000000000",
		0xa0u + (unsigned int)d->index);
	return fake_result("nvmlDeviceGetUUID");
}

CALL nvmlDeviceGetMemoryInfo(nvml_device d, struct nvml_memory *m)
{
	m->total = 80ull << 30;
	m->used = ((unsigned long long)d->index + 1) << 30;
	m->free = m->total - m->used;
	return fake_ask(d, "nvmlDeviceGetMemoryInfo");
}

/* ready=TURN:PATH, at that turn. */
static void write_turn(int turn)
{
	const char *p = strstr(fake.words, "ready=");
	char path[512];
	int at;
	FILE *f;
	if (p && sscanf(p, "ready=%d:%511[^ ]", &at, path) == 2 && at == turn &&
		(f = fopen(path, "w")))
		fclose(f);
}

CALL nvmlDeviceGetUtilizationRates(nvml_device d, struct nvml_utilization *u)
{
	d->reads++;
	if (d->index == 0)
		write_turn(d->reads);
	u->gpu = (unsigned int)(10 * d->index + d->reads);
	u->memory = 1;
	return fake_ask(d, "nvmlDeviceGetUtilizationRates");
}

CALL nvmlDeviceGetClockInfo(nvml_device d, int domain, unsigned int *mhz)
{
	*mhz = (unsigned int)(1000 + 100 * domain + d->index);
	return fake_ask(d, "nvmlDeviceGetClockInfo");
}

#ifdef FAKE_NVML_OLD
CALL nvmlInit(void)
{
	return start("nvmlInit");
}
CALL nvmlDeviceGetCount(unsigned int *n)
{
	return count(n);
}
CALL nvmlDeviceGetHandleByIndex(unsigned int index, nvml_device *d)
{
	return handle(index, d);
}
CALL nvmlDeviceGetCurrentClocksThrottleReasons(nvml_device d,
	unsigned long long *reasons)
{
	*reasons = 0x1; /* idle */
	return fake_ask(d, "nvmlDeviceGetCurrentClocksThrottleReasons");
}
#else
CALL nvmlInit_v2(void)
{
	return start("nvmlInit_v2");
}
CALL nvmlDeviceGetCount_v2(unsigned int *n)
{
	return count(n);
}
CALL nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvml_device *d)
{
	return handle(index, d);
}

#endif
