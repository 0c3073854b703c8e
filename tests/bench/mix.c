/* mix.c - the kernels of a step, and their records with noise that was drawn
 * before. */
#include "mix.h"
#include <cupti.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NOISES = 1 << 14, TICK = 32 };

static struct function {
	double duration_ns;
	int32_t grid, block, shared;
	uint16_t registers;
	const char *name;
} step[MIX_STEP];
static float noise[NOISES];
static char names[MIX_NAMES][160];

static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static double normal(uint64_t *x)
{
	double u = ((double)(next(x) >> 11) + 1) / 9007199254740993.0;
	double v = (double)(next(x) >> 11) / 9007199254740992.0;
	return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

void mix_prepare(void)
{
	uint64_t x = 88172645463325252u;
	for (int i = 0; i < NOISES; i++)
		noise[i] = (float)normal(&x);
	for (int i = 0; i < MIX_NAMES; i++)
		snprintf(names[i], sizeof *names,
			"_ZN7cutlass6KernelINS_"
			"4gemm6device21GemmUniversalAdapterI"
			"NS1_"
			"6kernel13GemmUniversalIN4cute5tupleIJiiiiEEEEEEvNT_"
			"6ParamsE_%d",
			i);
	for (int i = 0; i < MIX_STEP; i++)
		step[i] = (struct function){ 1500 + exp(6.5 + 1.2 * normal(&x)),
			64 << i % 5, 128 << i % 2, i % MIX_NAMES * 1024,
			(uint16_t)(32 + 8 * (i % 20)), names[i % MIX_NAMES] };
}

static float noisy(struct mix *m)
{
	return noise[next(&m->random) % NOISES];
}

static uint64_t ticks(double ns)
{
	return (uint64_t)ns / TICK * TICK;
}

/* The call that launched the next kernel; they come every 5 microseconds. */
static void call(struct mix *m, uint8_t *to)
{
	CUpti_ActivityAPI *a = (void *)to;
	m->host_ns += (uint64_t)(2500 + 600 * fabsf(noisy(m)));
	a->kind = CUPTI_ACTIVITY_KIND_RUNTIME;
	a->cbid = 211;
	a->start = m->host_ns;
	m->host_ns += (uint64_t)(2300 + 300 * fabsf(noisy(m)));
	a->end = m->host_ns;
	a->processId = 4711;
	a->threadId = m->thread;
	a->correlationId = m->correlation;
}

static void kernel(struct mix *m, uint8_t *to)
{
	CUpti_ActivityKernel8 *k = (void *)to;
	const struct function *f = &step[m->place];
	double duration = f->duration_ns * (1 + 0.02 * (double)noisy(m)) +
			  60 * (double)noisy(m);
	m->at_ns += ticks(900 + 150 * fabs((double)noisy(m)));
	k->kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
	k->start = m->at_ns / TICK * TICK;
	k->end = k->start + ticks(duration < 900 ? 900 : duration);
	m->at_ns = k->end;
	k->name = f->name;
	k->gridX = f->grid;
	k->gridY = 1 + (int)(m->place % 3);
	k->gridZ = k->blockY = k->blockZ = 1;
	k->blockX = f->block;
	k->registersPerThread = f->registers;
	k->dynamicSharedMemory = f->shared;
	k->deviceId = m->device;
	k->contextId = 1;
	k->streamId = m->stream;
	k->correlationId = m->correlation;
	if (m->eager)
		return;
	k->graphId = 3;
	k->graphNodeId = (UINT64_C(3) << 32) + 100 + m->place;
}

size_t mix_fill(struct mix *m, uint8_t *buffer, size_t bytes,
	struct mix_count *n)
{
	size_t each = MIX_KERNEL_BYTES + (m->eager ? MIX_CALL_BYTES : 0);
	size_t at = 0;
	for (; at + each <= bytes; at += each) {
		uint8_t *to = buffer + at;
		if (m->place == 0) {
			m->at_ns += (uint64_t)(60000 + 20000 * fabsf(noisy(m)));
			m->correlation++;
		}
		m->correlation += m->eager ? 2 : 0;
		if (m->eager)
			call(m, to + MIX_KERNEL_BYTES);
		kernel(m, to);
		m->place = (m->place + 1) % MIX_STEP;
		n->kernels++;
		n->calls += m->eager;
	}
	return at;
}
