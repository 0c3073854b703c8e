/* nvtx_core.c - NVTX's calls without a domain. */
#include "nvtx_handlers.h"
#include "nvtx_range.h"

static struct nvtx_call ascii(const char *message)
{
	return (struct nvtx_call){ .message_type = NVTX_MESSAGE_TYPE_ASCII,
		.message = message };
}

static struct nvtx_call wide(const wchar_t *message)
{
	return (struct nvtx_call){ .message_type = NVTX_MESSAGE_TYPE_UNICODE,
		.message = message };
}

static void NVTX_API mark_ex(const nvtxEventAttributes_t *a)
{
	(void)a;
	nvtx_range_mark();
}

static void NVTX_API mark_a(const char *message)
{
	(void)message;
	nvtx_range_mark();
}

static void NVTX_API mark_w(const wchar_t *message)
{
	(void)message;
	nvtx_range_mark();
}

static int NVTX_API push_ex(const nvtxEventAttributes_t *a)
{
	struct nvtx_call c = nvtx_call_of(0, a);
	return nvtx_range_push(&c);
}

static int NVTX_API push_a(const char *message)
{
	struct nvtx_call c = ascii(message);
	return nvtx_range_push(&c);
}

static int NVTX_API push_w(const wchar_t *message)
{
	struct nvtx_call c = wide(message);
	return nvtx_range_push(&c);
}

static int NVTX_API pop(void)
{
	static const struct nvtx_call c;
	return nvtx_range_pop(&c);
}

static nvtxRangeId_t NVTX_API start_ex(const nvtxEventAttributes_t *a)
{
	struct nvtx_call c = nvtx_call_of(0, a);
	return nvtx_range_start(&c);
}

static nvtxRangeId_t NVTX_API start_a(const char *message)
{
	struct nvtx_call c = ascii(message);
	return nvtx_range_start(&c);
}

static nvtxRangeId_t NVTX_API start_w(const wchar_t *message)
{
	struct nvtx_call c = wide(message);
	return nvtx_range_start(&c);
}

static void NVTX_API end(nvtxRangeId_t id)
{
	nvtx_range_end(id);
}

void nvtx_core_fill(NvtxFunctionTable table, unsigned n)
{
	static const struct {
		unsigned at;
		NvtxFunctionPointer f;
	} all[] = { { NVTX_CBID_CORE_MarkEx, (NvtxFunctionPointer)mark_ex },
		{ NVTX_CBID_CORE_MarkA, (NvtxFunctionPointer)mark_a },
		{ NVTX_CBID_CORE_MarkW, (NvtxFunctionPointer)mark_w },
		{ NVTX_CBID_CORE_RangeStartEx, (NvtxFunctionPointer)start_ex },
		{ NVTX_CBID_CORE_RangeStartA, (NvtxFunctionPointer)start_a },
		{ NVTX_CBID_CORE_RangeStartW, (NvtxFunctionPointer)start_w },
		{ NVTX_CBID_CORE_RangeEnd, (NvtxFunctionPointer)end },
		{ NVTX_CBID_CORE_RangePushEx, (NvtxFunctionPointer)push_ex },
		{ NVTX_CBID_CORE_RangePushA, (NvtxFunctionPointer)push_a },
		{ NVTX_CBID_CORE_RangePushW, (NvtxFunctionPointer)push_w },
		{ NVTX_CBID_CORE_RangePop, (NvtxFunctionPointer)pop } };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].at < n && table[all[i].at])
			*table[all[i].at] = all[i].f;
}
