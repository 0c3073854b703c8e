/* bench_counters.c - measures one reading of the collector's counters.
 *
 *     bench_counters [NVML]
 *
 * Prints lines NAME VALUE: nanoseconds of this thread's CPU time per reading,
 * over 2,000 readings of the real /proc. If NVML is the path of a library,
 * also prints the CPU time of its readings, and their wall time, because the
 * driver may make them wait. */
#include "host.h"
#include "nvml.h"
#include "clock.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TURNS = 2000, THREADS = 64 };

static struct host host;
static struct nvml nvml;
static struct samples *ring;
static struct moment made_up;

static struct moment made_up_now(void *ctx)
{
	(void)ctx;
	made_up.steady_ns++;
	return made_up;
}

static void empty(void)
{
	struct sample one;
	while (samples_next(ring, &one)) {
	}
}

static void tell(const char *name, int64_t cpu_ns, int64_t wall_ns, int turns)
{
	printf("%s.cpu_ns %.0f\n%s.wall_ns %.0f\n", name,
		(double)cpu_ns / turns, name, (double)wall_ns / turns);
}

/* `turns` turns of f; the simulated clock advances by `apart_ns` per turn. */
static void measure(const char *name, void (*f)(void), int64_t apart_ns,
	int turns)
{
	int64_t cpu_ns = 0, wall_ns = 0;
	for (int i = 0; i < turns; i++) {
		made_up.steady_ns += apart_ns;
		int64_t cpu = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
		int64_t wall = clock_read_ns(CLOCK_MONOTONIC);
		f();
		cpu_ns += clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
		wall_ns += clock_read_ns(CLOCK_MONOTONIC) - wall;
		empty();
	}
	tell(name, cpu_ns, wall_ns, turns);
}

static void host_turn(void)
{
	host_round(&host, HOST_WITHIN);
}

static void totals_turn(void)
{
	host_round(&host, HOST_END);
}

static bool never(void *ctx)
{
	(void)ctx;
	return false;
}

static void nvml_turn(void)
{
	nvml_round(&nvml, ring, never, NULL);
}

static void pcie_turn(void)
{
	nvml_pcie(&nvml, ring, never, NULL);
}

static void *sleeper(void *ctx)
{
	(void)ctx;
	for (;;)
		pause();
	return NULL;
}

static int measure_nvml(const char *library)
{
	struct nvml_place place = { library, "/proc",
		getenv("CUDA_VISIBLE_DEVICES"), getenv("CUDA_DEVICE_ORDER") };
	char sentence[256];
	int64_t wall = clock_read_ns(CLOCK_MONOTONIC);
	if (!nvml_open(&nvml, &place, sentence)) {
		fprintf(stderr, "bench_counters: %s\n", sentence);
		return 1;
	}
	printf("nvml.open_ms %.1f\nnvml.gpus %d\n",
		(double)(clock_read_ns(CLOCK_MONOTONIC) - wall) / 1e6, nvml.n);
	nvml_turn();
	empty();
	measure("nvml.fast", nvml_turn, 1000, TURNS / 10);
	measure("nvml.slow", nvml_turn, 1000000000, TURNS / 20);
	measure("nvml.pcie", pcie_turn, 1000, 10);
	return 0;
}

int main(int argc, char **argv)
{
	ring = samples_new(1 << 14, made_up_now, NULL);
	host_init(&host, "/proc", "/sys", ring);
	host_round(&host, HOST_BEGIN);
	empty();
	measure("host.fast", host_turn, 1000, TURNS);
	measure("host.slow", host_turn, 1000000000, TURNS);
	measure("host.totals_1", totals_turn, 1000, TURNS);
	for (int i = 1; i < THREADS; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, sleeper, NULL))
			return 1;
	}
	measure("host.totals_64", totals_turn, 1000, TURNS);
	return argc > 1 ? measure_nvml(argv[1]) : 0;
}
