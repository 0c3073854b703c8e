/* nvtx.c - what clients of NVTX find of us, and what the rest of the collector
 * does. */
#include "nvtx.h"
#include "clock.h"
#include "nvtx_domain.h"
#include "nvtx_handlers.h"
#include "nvtx_state.h"

int nvtx_attach(void *get_export_table)
{
	NvtxGetExportTableFunc_t get =
		(NvtxGetExportTableFunc_t)(uintptr_t)get_export_table;
	const NvtxExportTableCallbacks *of =
		get ? get(NVTX_ETID_CALLBACKS) : NULL;
	NvtxFunctionTable table = NULL;
	unsigned n = 0;

	if (!of || of->struct_size < sizeof *of || !nvtx_state_make())
		return 1;
	if (of->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &n))
		nvtx_core_fill(table, n);
	if (of->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &n))
		nvtx_core2_fill(table, n);
	return 1;
}

int nvtx_attach_extension(void *module_info)
{
	const nvtxExtModuleInfo_t *m = module_info;
	if (!m || m->structSize < sizeof *m ||
		m->moduleId != NVTX_EXT_PAYLOAD_MODULEID ||
		m->segmentsCount == 0 || !nvtx_state_make())
		return 1;
	nvtx_extension_fill(m->segments->functionSlots, m->segments->slotCount);
	return 1;
}

void nvtx_record(bool on)
{
	struct nvtx_state *w = on ? nvtx_state_make() : nvtx_state();
	uint32_t recording = NVTX_RECORD;
	if (!w)
		return;
	if (on && nvtx_mode(w) != NVTX_RECORD) {
		atomic_store_explicit(&w->opened_ns, clock_real_ns(),
			memory_order_release);
		atomic_store_explicit(&w->mode, NVTX_RECORD,
			memory_order_release);
	} else if (!on && nvtx_mode(w) == NVTX_RECORD) {
		atomic_store_explicit(&w->closed_ns, clock_real_ns(),
			memory_order_release);
		atomic_compare_exchange_strong_explicit(&w->mode, &recording,
			NVTX_CLOSING, memory_order_release,
			memory_order_relaxed);
	}
}

void nvtx_wakes(nvtx_wake_fn *wake, void *ctx)
{
	struct nvtx_state *w = nvtx_state_make();
	if (!w)
		return;
	atomic_store_explicit(&w->wake_ctx, ctx, memory_order_relaxed);
	atomic_store_explicit(&w->wake, wake, memory_order_release);
}

/* The frame's text as a number, which the frame keeps: a graph that is
 * captured reads the same ranges again and again. */
static uint32_t nvtx_name(struct nvtx_state *w, struct nvtx_thread *t,
	uint32_t place, const struct nvtx_open *o)
{
	if (o->text || o->lost)
		return o->text;
	uint32_t id = nvtx_texts_put(w->texts, nvtx_domain_name(w, o->domain),
		(const char *)&t->words[o->at], o->text_len);
	if (id)
		nvtx_thread_name(t, place, id);
	else
		nvtx_count(&w->lost, 1);
	return id;
}

int nvtx_stack(uint32_t *texts, int most)
{
	struct nvtx_state *w = nvtx_state();
	struct nvtx_thread *t = w ? nvtx_state_my_thread() : NULL;
	struct nvtx_open o;
	int n = 0;

	for (uint32_t i = t ? atomic_load_explicit(&t->depth,
				      memory_order_relaxed)
			    : 0;
		i-- > 0 && n < most;)
		if (nvtx_thread_at(t, i, &o) &&
			(texts[n] = nvtx_name(w, t, i, &o)) != 0)
			n++;
	return n;
}

const char *nvtx_text(uint32_t id, size_t *len)
{
	struct nvtx_state *w = nvtx_state();
	*len = 0;
	return w ? nvtx_texts_get(w->texts, id, len) : "";
}

const char *nvtx_domain(uint32_t id)
{
	struct nvtx_state *w = nvtx_state();
	size_t len;
	return w ? nvtx_texts_get(w->texts, nvtx_texts_domain(w->texts, id),
			   &len)
		 : "";
}

int64_t nvtx_dropped(void)
{
	struct nvtx_state *w = nvtx_state();
	return w ? atomic_exchange_explicit(&w->lost, 0, memory_order_relaxed)
		 : 0;
}
