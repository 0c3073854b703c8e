/* fuzz_records.c - fuzzes the reader of CUPTI records: any bytes as a buffer,
 * with random record sizes.
 *
 * The first bytes select the sizes that a fake libcupti reports. The other
 * bytes are the buffer, which layout_learn(), the intake and the encoder
 * process. Each record must be counted exactly once, and rows must follow
 * kst.h. */
#include "encode.h"
#include <assert.h>
#include <cupti.h>
#include <stdlib.h>
#include <string.h>

enum { CHOICES = 16 }; /* one byte for each kind below */
static const uint32_t kinds[CHOICES] = { CUPTI_ACTIVITY_KIND_MEMCPY,
	CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_KERNEL,
	CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_RUNTIME,
	CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_OVERHEAD,
	CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_GRAPH_TRACE, 12, 36,
	38, 39, 53, 60, 63 };
static uint16_t size_of[RECORD_KINDS];
static int64_t rows;
static bool refuse;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int64_t __wrap_capture_writer_captures(const struct capture_writer *s);
int64_t __wrap_capture_writer_text(struct capture_writer *s,
	enum capture_writer_text_kind kind, uint64_t key, const char *text,
	size_t len);
int64_t __wrap_capture_writer_shape(struct capture_writer *s,
	const struct kst_shape *shape);
bool __wrap_capture_writer_row(struct capture_writer *s, enum kst_kind kind,
	const void *row);

int64_t __wrap_capture_writer_captures(const struct capture_writer *s)
{
	(void)s;
	return 1;
}

int64_t __wrap_capture_writer_text(struct capture_writer *s,
	enum capture_writer_text_kind kind, uint64_t key, const char *text,
	size_t len)
{
	(void)s, (void)kind, (void)key;
	assert(len && strnlen(text, len) == len);
	return (int64_t)len;
}

int64_t __wrap_capture_writer_shape(struct capture_writer *s,
	const struct kst_shape *shape)
{
	(void)s;
	assert(shape->registers >= 0);
	return 1;
}

bool __wrap_capture_writer_row(struct capture_writer *s, enum kst_kind kind,
	const void *row)
{
	/* For the kinds written here, columns 1 and 2 are the times. */
	const int64_t *cells = row;
	(void)s;
	assert(kind == KST_kernel || kind == KST_copy || kind == KST_call ||
		kind == KST_graph || kind == KST_range);
	assert(cells[0] == 0 && cells[1] >= 0 && cells[2] >= -1);
	rows++;
	return !refuse || rows % 3;
}

static int next(uint8_t *buffer, size_t bytes, void **record)
{
	uint32_t kind;
	(void)bytes;
	memcpy(&kind, *record, sizeof kind);
	if (kind >= RECORD_KINDS || !size_of[kind])
		return CUPTI_ERROR_INVALID_KIND;
	*record = buffer + size_of[kind];
	return CUPTI_SUCCESS;
}

static const char *call_name(void *ctx, bool driver, uint32_t cbid)
{
	(void)ctx;
	if (cbid % 3 == 0)
		return NULL;
	return driver	       ? "cuLaunchKernel"
	       : cbid % 3 == 1 ? "cudaLaunchKernel_v7000"
			       : "cudaGetDevice";
}

/* Names are addresses, only some of which are valid. */
static void tame(const struct layout *l, uint8_t *buffer, size_t bytes)
{
	static const char *const names[] = { NULL, "a", "sgemm",
		"_ZN7cutlass6KernelINS_4gemmE" };
	struct record r = { .at = NULL };
	size_t unreadable;
	while (records_next(l, buffer, bytes, &r, &unreadable))
		if (record_name(&r))
			*record_name(&r) =
				(uintptr_t)names[*record_name(&r) % 4];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct layout l;
	static struct kernel_names *names;
	static struct intake *in;
	static struct encode *e;
	struct encoded sum = { 0 };
	struct intake_buffer b;
	uint8_t *buffer;
	size_t room, most;
	int64_t walked = 0;

	if (size < CHOICES + 1)
		return 0;
	refuse = data[0] & 1;
	for (int i = 0; i < CHOICES; i++)
		size_of[kinds[i]] = (uint16_t)(data[1 + i] % 32 * 8);
	data += CHOICES + 1;
	size -= CHOICES + 1;
	if (!layout_learn(&l, next, 130001))
		return 0;
	if (!names) {
		names = names_new();
		in = intake_new(&l, names, 1 << 20);
		e = encode_new(&l, names, call_name, NULL);
	}
	if (!in || !e)
		abort();
	intake_request(in, &buffer, &room, &most);
	size = size < room ? size : room;
	memcpy(buffer, data, size);
	tame(&l, buffer, size);
	intake_complete(in, buffer, size);
	rows = 0;
	if (intake_next(in, &b)) {
		struct record r = { .at = NULL };
		size_t unreadable;
		while (records_next(&l, b.bytes, b.valid, &r, &unreadable))
			walked++;
		assert(unreadable == 0 && b.valid <= size);
		assert(encode_buffer(e, &b, NULL, &sum) == !sum.lost);
		intake_done(in, &b);
	}
	assert(intake_lent(in) == 0);
	assert(sum.kernels + sum.copies + sum.calls + sum.graphs +
			sum.overheads + sum.quiet + sum.unknown + sum.lost ==
		walked);
	assert(rows == walked - sum.quiet - sum.unknown && sum.odd <= rows);
	return 0;
}
