/* nvtx_core2.c - NVTX's calls with a domain, domains, registered strings. */
#include "nvtx_domain.h"
#include "nvtx_handlers.h"
#include "nvtx_json.h"
#include "nvtx_range.h"
#include <string.h>

enum { NAME_MOST = 1024 };

static void NVTX_API mark(nvtxDomainHandle_t d, const nvtxEventAttributes_t *a)
{
	(void)d;
	(void)a;
	nvtx_range_mark();
}

static int NVTX_API push(nvtxDomainHandle_t d, const nvtxEventAttributes_t *a)
{
	struct nvtx_call c = nvtx_call_of(nvtx_domain_of(d), a);
	return nvtx_range_push(&c);
}

static int NVTX_API pop(nvtxDomainHandle_t d)
{
	struct nvtx_call c = { .domain = nvtx_domain_of(d) };
	return nvtx_range_pop(&c);
}

static nvtxRangeId_t NVTX_API start(nvtxDomainHandle_t d,
	const nvtxEventAttributes_t *a)
{
	struct nvtx_call c = nvtx_call_of(nvtx_domain_of(d), a);
	return nvtx_range_start(&c);
}

static void NVTX_API end(nvtxDomainHandle_t d, nvtxRangeId_t id)
{
	(void)d;
	nvtx_range_end(id);
}

/* Handles are numbers, which no program looks into. */
static nvtxStringHandle_t keep(nvtxDomainHandle_t d, const char *text,
	size_t len)
{
	struct nvtx_world *w = nvtx_world();
	uintptr_t id = nvtx_texts_put(w->texts,
		nvtx_domain_name(w, nvtx_domain_of(d)), text, len);
	nvtx_count(&w->lost, id == 0);
	return (nvtxStringHandle_t)id;
}

static nvtxStringHandle_t NVTX_API register_a(nvtxDomainHandle_t d,
	const char *text)
{
	size_t len = text ? strnlen(text, NVTX_TEXT_MOST) : 0;
	return keep(d, text ? text : "",
		len == NVTX_TEXT_MOST ? nvtx_utf8_clip(text, len) : len);
}

static nvtxStringHandle_t NVTX_API register_w(nvtxDomainHandle_t d,
	const wchar_t *wide)
{
	char text[NAME_MOST];
	return keep(d, text, wide ? nvtx_utf8_from(text, NAME_MOST, wide) : 0);
}

static nvtxDomainHandle_t NVTX_API create_a(const char *name)
{
	uintptr_t i = nvtx_domain_make(nvtx_world(), name ? name : "",
		name ? strnlen(name, NAME_MOST) : 0);
	return (nvtxDomainHandle_t)i;
}

static nvtxDomainHandle_t NVTX_API create_w(const wchar_t *wide)
{
	char name[NAME_MOST];
	uintptr_t i = nvtx_domain_make(nvtx_world(), name,
		wide ? nvtx_utf8_from(name, NAME_MOST, wide) : 0);
	return (nvtxDomainHandle_t)i;
}

static void NVTX_API destroy(nvtxDomainHandle_t d)
{
	nvtx_domain_end(nvtx_world(), nvtx_domain_of(d));
}

void nvtx_core2_fill(NvtxFunctionTable table, unsigned n)
{
	static const struct {
		unsigned at;
		NvtxFunctionPointer f;
	} all[] = { { NVTX_CBID_CORE2_DomainMarkEx, (NvtxFunctionPointer)mark },
		{ NVTX_CBID_CORE2_DomainRangeStartEx,
			(NvtxFunctionPointer)start },
		{ NVTX_CBID_CORE2_DomainRangeEnd, (NvtxFunctionPointer)end },
		{ NVTX_CBID_CORE2_DomainRangePushEx,
			(NvtxFunctionPointer)push },
		{ NVTX_CBID_CORE2_DomainRangePop, (NvtxFunctionPointer)pop },
		{ NVTX_CBID_CORE2_DomainRegisterStringA,
			(NvtxFunctionPointer)register_a },
		{ NVTX_CBID_CORE2_DomainRegisterStringW,
			(NvtxFunctionPointer)register_w },
		{ NVTX_CBID_CORE2_DomainCreateA,
			(NvtxFunctionPointer)create_a },
		{ NVTX_CBID_CORE2_DomainCreateW,
			(NvtxFunctionPointer)create_w },
		{ NVTX_CBID_CORE2_DomainDestroy,
			(NvtxFunctionPointer)destroy } };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].at < n && table[all[i].at])
			*table[all[i].at] = all[i].f;
}
