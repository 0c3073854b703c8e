/* nvtx.h - NVTX ranges by our own injection: neither CUPTI nor a GPU is
 * needed.
 *
 * Handlers run in the application's threads and never wait. Each thread
 * always keeps the stack of its open ranges with copies of their texts, so
 * that the nodes of a CUDA graph have operators even if it is captured
 * between windows. Inside windows a range that ends is one record in the
 * thread's own ring, with its text: PyTorch's texts count up and hardly ever
 * repeat, so a table of texts would be full within seconds. Only the texts
 * that nvtx_stack() reads, domains and registered strings are kept for ever,
 * in a bounded table. What finds no room is counted. README.md: what is read
 * of NVTX, and what each call costs. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture_writer;

/* The bodies of InitializeInjectionNvtx2 and InitializeInjectionNvtxExtension
 * (nvtx3's own types, which only nvtx.c sees): always 1, since 0 would have the
 * client unload us. */
int nvtx_attach(void *get_export_table);
int nvtx_attach_extension(void *module_info);

/* Recording on or off; any thread, also in a forked child. */
void nvtx_record(bool on);

/* The function that is called, once per filling, when a ring is half full.
 * It runs in an application's thread, so it may not wait. */
typedef void nvtx_wake_fn(void *ctx);
void nvtx_wakes(nvtx_wake_fn *wake, void *ctx);

/* The calling thread's open ranges, innermost first; returns how many were
 * written. An id always means the same text in the same domain. */
int nvtx_stack(uint32_t *texts, int most);
/* The text and the domain of an id; "" of 0. */
const char *nvtx_text(uint32_t id, size_t *len);
const char *nvtx_domain(uint32_t id);

/* For the writing thread: empties all rings and writes range rows. With
 * `all`, which belongs after each nvtx_record(false), also what is still
 * open, as it is now: it began with the window or within it, and ends with
 * it. */
void nvtx_drain(struct capture_writer *s, bool all);
/* What found no room since the last call: ranges, registered strings,
 * domains. */
int64_t nvtx_dropped(void);
