/* encode_rig.h - makes records, an encoder, and a capture writer that keeps
 * the rows, for tests. */
#pragma once
#include "encode.h"
#include "fake_writer.h"
#include "made.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static int names_read;

static inline const char *call_name(void *ctx, bool driver, uint32_t cbid)
{
	(void)ctx;
	names_read++;
	if (driver)
		return cbid == 307 ? "cuLaunchKernel" : NULL;
	switch (cbid) {
	case 211:
		return "cudaLaunchKernel_v7000";
	case 506:
		return "__cudaLaunchKernel_ptsz_v13000";
	case 31:
		return "cudaMemcpy_v3020";
	case 3:
		return "cudaGetDevice_v3020";
	default:
		return NULL;
	}
}

struct rig {
	struct made made;
	struct kernel_names *names;
	struct encode *encode;
	struct encoded sum;
};

static inline struct rig *rig_new(uint32_t version)
{
	struct rig *r = calloc(1, sizeof *r);
	made_init(&r->made, version);
	r->names = names_new();
	r->encode = encode_new(&r->made.layout, r->names, call_name, NULL);
	assert_non_null(r->encode);
	memset(&fake, 0, sizeof fake);
	fake.captures = 1;
	names_read = 0;
	return r;
}

static inline void rig_free(struct rig *r)
{
	encode_free(r->encode);
	names_free(r->names);
	free(r);
}

/* Reads a name as the intake does. */
static inline const char *pinned(struct rig *r, const char *name)
{
	return (const char *)(uintptr_t)names_pin(r->names, name);
}

/* Encodes the records made so far, and empties the buffer. */
static inline bool rows_match(struct rig *r, const char *lines)
{
	struct intake_buffer b = { .bytes = r->made.bytes,
		.valid = r->made.at,
		.at_ns = 777 };
	fake.text[0] = '\0';
	bool all = encode_buffer(r->encode, &b, NULL, &r->sum);
	assert_string_equal(fake.text, lines);
	r->made.at = 0;
	memset(r->made.bytes, 0, sizeof r->made.bytes);
	return all;
}
