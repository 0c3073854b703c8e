/* nvtx_domain.h - NVTX domains, whose handles are numbers.
 *
 * Number 0 is the domain of all calls that name no domain, and of events whose
 * domain found no room. The number of a destroyed domain is reused only for a
 * domain with the same name, because rows with this number may not be written
 * yet. */
#pragma once
#include "nvtx_state.h"

uint16_t nvtx_domain_make(struct nvtx_state *w, const char *name, size_t len);
void nvtx_domain_end(struct nvtx_state *w, uint16_t domain);
/* The number of the domain's name in w->texts; 0 for the domain without a
 * name. */
uint32_t nvtx_domain_name(const struct nvtx_state *w, uint16_t domain);
