/* nvtx_domain.c - the list of NVTX domains, which only grows. */
#include "nvtx_domain.h"

#define ENDED ((uint64_t)1 << 32) /* bit above the name's number */

uint16_t nvtx_domain_make(struct nvtx_state *w, const char *name, size_t len)
{
	uint32_t text = nvtx_texts_put(w->texts, 0, name, len);
	nvtx_count(&w->lost, text == 0);
	uint32_t n = atomic_load_explicit(&w->domains_n, memory_order_acquire);
	for (uint32_t i = 1; i <= n && i < NVTX_DOMAINS; i++) {
		uint64_t was = text | ENDED;
		if (atomic_compare_exchange_strong_explicit(&w->domains[i],
			    &was, text, memory_order_acq_rel,
			    memory_order_relaxed))
			return (uint16_t)i;
	}
	do {
		if (n + 1 >= NVTX_DOMAINS) {
			nvtx_count(&w->lost, 1);
			return 0;
		}
	} while (!atomic_compare_exchange_weak_explicit(&w->domains_n, &n,
		n + 1, memory_order_acq_rel, memory_order_acquire));
	atomic_store_explicit(&w->domains[n + 1], text, memory_order_release);
	return (uint16_t)(n + 1);
}

void nvtx_domain_end(struct nvtx_state *w, uint16_t domain)
{
	if (domain)
		atomic_fetch_or_explicit(&w->domains[domain], ENDED,
			memory_order_acq_rel);
}

uint32_t nvtx_domain_name(const struct nvtx_state *w, uint16_t domain)
{
	return (uint32_t)atomic_load_explicit(&w->domains[domain],
		memory_order_acquire);
}
