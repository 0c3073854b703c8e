/* cupti_kinds.c - the kinds that the fake libcupti records, and the sizes of
 * their records. */
#include "fake_cupti.h"
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { KINDS = 64, IDS = 1024 };
static atomic_bool kinds[KINDS];
static atomic_bool calls[2][IDS]; /* runtime, driver */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The sizes in versions 18, from 19, from 26, from 130000, and from 130400.
 * The last size of the kernel record is invented, so that it is the largest. */
static const struct {
	uint8_t kind;
	uint8_t bytes[5];
} sizes[] = {
	{ CUPTI_ACTIVITY_KIND_MEMCPY, { 88, 88, 96, 96, 96 } },
	{ CUPTI_ACTIVITY_KIND_MEMSET, { 88, 88, 88, 88, 88 } },
	{ CUPTI_ACTIVITY_KIND_KERNEL, { 200, 208, 208, 216, 248 } },
	{ CUPTI_ACTIVITY_KIND_DRIVER, { 40, 40, 40, 40, 40 } },
	{ CUPTI_ACTIVITY_KIND_RUNTIME, { 40, 40, 40, 40, 40 } },
	{ CUPTI_ACTIVITY_KIND_DEVICE, { 176, 176, 184, 184, 184 } },
	{ CUPTI_ACTIVITY_KIND_CONTEXT, { 16, 32, 32, 32, 32 } },
	{ CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, { 200, 208, 208, 216, 248 } },
	{ CUPTI_ACTIVITY_KIND_NAME, { 32, 32, 32, 32, 32 } },
	{ CUPTI_ACTIVITY_KIND_MARKER, { 56, 56, 56, 56, 56 } },
	{ CUPTI_ACTIVITY_KIND_MARKER_DATA, { 32, 32, 32, 40, 40 } },
	{ CUPTI_ACTIVITY_KIND_OVERHEAD, { 40, 56, 56, 56, 56 } },
	{ CUPTI_ACTIVITY_KIND_MEMCPY2, { 96, 96, 96, 96, 96 } },
	{ CUPTI_ACTIVITY_KIND_STREAM, { 24, 24, 24, 24, 24 } },
	{ CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, { 40, 40, 56, 56, 56 } },
	{ CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, { 24, 24, 24, 24, 24 } },
	{ CUPTI_ACTIVITY_KIND_GRAPH_TRACE, { 48, 56, 56, 56, 56 } },
	{ CUPTI_ACTIVITY_KIND_JIT, { 64, 64, 64, 64, 64 } },
	{ FAKE_STRANGE, { 64, 64, 64, 64, 64 } },
};

size_t fake_size(uint32_t kind)
{
	int64_t v = faults()->version;
	int column = v >= 130400 ? 4 : v >= 130000 ? 3 : v >= 26 ? 2 : v > 18;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (sizes[i].kind == kind)
			return sizes[i].bytes[column];
	return 0;
}

bool fake_enabled(CUpti_ActivityKind kind)
{
	return (unsigned)kind < KINDS && kinds[kind];
}

bool fake_call_enabled(bool driver, uint32_t cbid)
{
	return kinds[driver ? CUPTI_ACTIVITY_KIND_DRIVER
			    : CUPTI_ACTIVITY_KIND_RUNTIME] ||
	       (cbid < IDS && calls[driver][cbid]);
}

bool fake_any_enabled(void)
{
	for (int k = 0; k < KINDS; k++)
		if (kinds[k])
			return true;
	for (int i = 0; i < IDS; i++)
		if (calls[0][i] || calls[1][i])
			return true;
	return false;
}

void fake_disable_all(void)
{
	for (int k = 0; k < KINDS; k++)
		kinds[k] = false;
	for (int i = 0; i < IDS; i++)
		calls[0][i] = calls[1][i] = false;
	fake_lanes_barrier();
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
	fake_enter("cuptiActivityEnable", MAY_SUBSCRIBED);
	if (fake_is_fatal())
		return CUPTI_ERROR_UNKNOWN;
	if (!fake_registered())
		fake_die("kind %d is enabled and nobody would take its buffers",
			(int)kind);
	if (!fake_size(kind) || (int)kind == FAKE_STRANGE)
		return CUPTI_ERROR_INVALID_KIND;
	if (fault_refused(kind))
		return (CUptiResult)fault_refused(kind);
	if (kind == CUPTI_ACTIVITY_KIND_KERNEL)
		fake_die("KIND_KERNEL runs one kernel at a time; "
			 "KIND_CONCURRENT_KERNEL is meant");
	if (kinds[kind])
		fake_die("kind %d is enabled twice", (int)kind);
	pthread_mutex_lock(&lock);
	kinds[kind] = true;
	pthread_mutex_unlock(&lock);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
	fake_enter("cuptiActivityDisable", MAY_SUBSCRIBED);
	if ((unsigned)kind >= KINDS)
		return CUPTI_ERROR_INVALID_KIND;
	if (!kinds[kind] && !fake_stolen())
		fake_die("kind %d is disabled and was not enabled", (int)kind);
	kinds[kind] = false;
	fake_lanes_barrier();
	return fake_is_fatal() ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
}

static CUptiResult enable_call(const char *function, bool driver,
	CUpti_CallbackId id, uint8_t on)
{
	fake_enter(function, MAY_SUBSCRIBED);
	if (faults()->version < 23)
		fake_die("%s is not in version %d", function,
			(int)faults()->version);
	if (id >= IDS)
		return CUPTI_ERROR_INVALID_PARAMETER;
	calls[driver][id] = on != 0;
	if (!on)
		fake_lanes_barrier();
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId id, uint8_t on)
{
	return enable_call("cuptiActivityEnableRuntimeApi", false, id, on);
}

CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId id, uint8_t on)
{
	return enable_call("cuptiActivityEnableDriverApi", true, id, on);
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid,
	CUpti_Activity **record)
{
	uint8_t *at = buffer;

	if (!buffer || !record || (uintptr_t)buffer % 8)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (*record) {
		size_t size = fake_size((uint32_t)(*record)->kind);
		if (!size)
			return CUPTI_ERROR_INVALID_KIND;
		at = (uint8_t *)*record + size;
	}
	size_t left = at < buffer + valid ? (size_t)(buffer + valid - at) : 0;
	if (left < 8)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	size_t size = fake_size((uint32_t)((CUpti_Activity *)at)->kind);
	if (!size)
		return CUPTI_ERROR_INVALID_KIND;
	if (left < size)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	*record = (CUpti_Activity *)at;
	return CUPTI_SUCCESS;
}
