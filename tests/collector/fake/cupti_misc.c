/* cupti_misc.c - calls of the fake libcupti that only return a value. */
#include "fake_cupti.h"
#include <stddef.h>

CUptiResult cuptiGetVersion(uint32_t *version)
{
	*version = (uint32_t)faults()->version;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(uint64_t *ns)
{
	fake_enter("cuptiGetTimestamp", MAY_RESOURCE);
	*ns = (uint64_t)fake_now_ns();
	return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
	switch (result) {
	case CUPTI_SUCCESS:
		*text = "CUPTI_SUCCESS";
		break;
	case CUPTI_ERROR_NOT_INITIALIZED:
		*text = "CUPTI_ERROR_NOT_INITIALIZED";
		break;
	case CUPTI_ERROR_NOT_SUPPORTED:
		*text = "CUPTI_ERROR_NOT_SUPPORTED";
		break;
	case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
		*text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
		break;
	case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
		*text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
		break;
	case CUPTI_ERROR_UNKNOWN:
		*text = "CUPTI_ERROR_UNKNOWN";
		break;
	default:
		return CUPTI_ERROR_INVALID_PARAMETER;
	}
	return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id,
	const char **name)
{
	static const struct {
		CUpti_CallbackDomain domain;
		uint32_t id;
		const char *name;
	} calls[] = {
#define CALL(domain, id, name) { CUPTI_CB_DOMAIN_##domain##_API, id, name },
#include "cupti_calls.def"
#undef CALL
	};

	bool driver = domain == CUPTI_CB_DOMAIN_DRIVER_API;
	bool runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
	uint32_t end = driver ? 807 : faults()->version >= 130000 ? 507 : 480;
	*name = NULL;
	if ((!driver && !runtime) || id == 0 || id >= end)
		return CUPTI_ERROR_INVALID_PARAMETER;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].domain == domain && calls[i].id == id) {
			*name = calls[i].name;
			return CUPTI_SUCCESS;
		}
	*name = driver ? "cuOther" : "cudaOther_v3020";
	return CUPTI_SUCCESS;
}

CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t *id)
{
	fake_enter("cuptiGetGraphNodeId", MAY_RESOURCE);
	if (!node || !id)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*id = fake_node_id(node);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushPeriod(uint32_t ms)
{
	(void)ms;
	fake_enter("cuptiActivityFlushPeriod", MAY_SUBSCRIBED);
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context,
	uint32_t stream, size_t *count)
{
	static _Atomic int64_t reported;

	(void)context;
	(void)stream;
	fake_enter("cuptiActivityGetNumDroppedRecords", MAY_SUBSCRIBED);
	int64_t lost = ledger_get(LEDGER_lost);
	*count = (size_t)(lost - reported);
	reported = lost;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableHWTrace(uint8_t on)
{
	if (on)
		fake_die("cuptiActivityEnableHWTrace corrupts memory before "
			 "13.4");
	return CUPTI_ERROR_NOT_SUPPORTED;
}

CUptiResult cuptiFinalize(void)
{
	fake_die("cuptiFinalize crashes when other threads call CUDA");
}
