/* nvtx_domain.h - domains, by numbers that are their handles.
 *
 * 0 is the domain that all calls without one mean, and where there is no room
 * for another it takes its events. A destroyed one's number is given again to
 * one of the same name only: rows that name it may still be on their way. */
#pragma once
#include "nvtx_state.h"

uint16_t nvtx_domain_make(struct nvtx_state *w, const char *name, size_t len);
void nvtx_domain_end(struct nvtx_state *w, uint16_t domain);
/* The number of its name in w->texts; 0 of the one without. */
uint32_t nvtx_domain_name(const struct nvtx_state *w, uint16_t domain);

/* Of a handle that a program gives. */
uint16_t nvtx_domain_of(const void *handle);
