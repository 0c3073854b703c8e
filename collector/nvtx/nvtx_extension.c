/* nvtx_extension.c - NVTX's payload extension: layouts, enums, and ranges that
 * are told by payloads alone. */
#include "nvtx_domain.h"
#include "nvtx_handlers.h"
#include "nvtx_range.h"

static struct nvtx_call told_by(nvtxDomainHandle_t d,
	const nvtxPayloadData_t *data, size_t n)
{
	return (struct nvtx_call){ .domain = nvtx_domain_of(d),
		.payload_type = NVTX_PAYLOAD_TYPE_EXT,
		.payload = data,
		.payloads = n };
}

static uint64_t NVTX_API register_schema(nvtxDomainHandle_t d,
	const nvtxPayloadSchemaAttr_t *a)
{
	return nvtx_schema_register(nvtx_world()->schemas, nvtx_domain_of(d),
		a);
}

static uint64_t NVTX_API register_enum(nvtxDomainHandle_t d,
	const nvtxPayloadEnumAttr_t *a)
{
	return nvtx_enum_register(nvtx_world()->schemas, nvtx_domain_of(d), a);
}

static void NVTX_API mark(nvtxDomainHandle_t d, const nvtxPayloadData_t *data,
	size_t n)
{
	(void)d;
	(void)data;
	(void)n;
	nvtx_range_mark();
}

static int NVTX_API push(nvtxDomainHandle_t d, const nvtxPayloadData_t *data,
	size_t n)
{
	struct nvtx_call c = told_by(d, data, n);
	return nvtx_range_push(&c);
}

static int NVTX_API pop(nvtxDomainHandle_t d, const nvtxPayloadData_t *data,
	size_t n)
{
	struct nvtx_call c = told_by(d, data, n);
	return nvtx_range_pop(&c);
}

static nvtxRangeId_t NVTX_API start(nvtxDomainHandle_t d,
	const nvtxPayloadData_t *data, size_t n)
{
	struct nvtx_call c = told_by(d, data, n);
	return nvtx_range_start(&c);
}

static void NVTX_API end(nvtxDomainHandle_t d, nvtxRangeId_t id,
	const nvtxPayloadData_t *data, size_t n)
{
	(void)d;
	(void)data;
	(void)n;
	nvtx_range_end(id);
}

void nvtx_extension_fill(intptr_t *slots, size_t n)
{
	static const struct {
		size_t at;
		NvtxFunctionPointer f;
	} all[] = { { NVTX3EXT_CBID_nvtxPayloadSchemaRegister,
			    (NvtxFunctionPointer)register_schema },
		{ NVTX3EXT_CBID_nvtxPayloadEnumRegister,
			(NvtxFunctionPointer)register_enum },
		{ NVTX3EXT_CBID_nvtxMarkPayload, (NvtxFunctionPointer)mark },
		{ NVTX3EXT_CBID_nvtxRangePushPayload,
			(NvtxFunctionPointer)push },
		{ NVTX3EXT_CBID_nvtxRangePopPayload, (NvtxFunctionPointer)pop },
		{ NVTX3EXT_CBID_nvtxRangeStartPayload,
			(NvtxFunctionPointer)start },
		{ NVTX3EXT_CBID_nvtxRangeEndPayload,
			(NvtxFunctionPointer)end } };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].at < n)
			slots[all[i].at] = (intptr_t)all[i].f;
}
