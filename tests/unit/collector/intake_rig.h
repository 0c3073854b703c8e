/* intake_rig.h - makes an intake and a client that returns buffers as CUPTI
 * does, for tests. */
#pragma once
#include "intake.h"
#include "made.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { MIB = 1 << 20 };

struct rig {
	struct layout layout;
	struct kernel_names *names;
	struct intake *intake;
};

static inline void rig_open(struct rig *r, uint32_t version, size_t cap)
{
	r->layout = made_layout(version);
	r->names = names_new();
	r->intake = intake_new(&r->layout, r->names, cap);
	assert_non_null(r->names);
	assert_non_null(r->intake);
}

static inline void rig_close(struct rig *r)
{
	intake_free(r->intake);
	names_free(r->names);
}

static inline uint8_t *rig_request(struct rig *r, size_t *size)
{
	uint8_t *buffer;
	size_t most = 77;
	intake_request(r->intake, &buffer, size, &most);
	if (most != 0)
		fail_msg("a request for at most %zu records", most);
	return buffer;
}

/* Writes n kernels of that name; returns their bytes. */
static inline size_t rig_fill(const struct rig *r, uint8_t *buffer,
	size_t bytes, int n, const char *name)
{
	const CUpti_ActivityKind kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
	size_t at = 0, each = r->layout.size[kind];
	for (int i = 0; i < n && at + each <= bytes; i++) {
		CUpti_ActivityKernel8 *k = (void *)(buffer + at);
		k->kind = kind;
		k->name = name;
		k->start = (uint64_t)i + 1;
		k->end = (uint64_t)i + 2;
		at += each;
	}
	return at;
}

/* Returns a buffer with n kernels, at most as many as fit. */
static inline size_t rig_hand(struct rig *r, int n, const char *name)
{
	size_t size;
	uint8_t *b = rig_request(r, &size);
	size_t valid = b ? rig_fill(r, b, size, n, name) : 0;
	if (b)
		intake_complete(r->intake, b, valid);
	return size;
}
