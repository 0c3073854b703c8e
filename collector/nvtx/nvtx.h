/* nvtx.h - NVTX ranges by our own injection: neither CUPTI nor a GPU is needed.
 *
 * Handlers run in the application's threads and wait for nobody. Always, each
 * thread keeps the stack of its open ranges with their texts copied, so that a
 * CUDA graph's nodes have operators even where they are captured between
 * windows. Inside windows a range that ends is one record in the thread's own
 * ring, its text with it: PyTorch's texts count up and hardly one comes twice,
 * so that a table of texts would be full within seconds. Only what is asked
 * for by nvtx_stack(), domains and registered strings are kept for ever, in a
 * bounded table. What finds no room is counted. README.md: what is read of
 * NVTX, and what each call costs. */
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

/* Who empties rings and should be told where one is half full: called once per
 * filling, in an application's thread, so it may not wait. */
typedef void nvtx_wake_fn(void *ctx);
void nvtx_wakes(nvtx_wake_fn *wake, void *ctx);

/* The calling thread's open ranges, innermost first; how many were written. An
 * id stands for a text in a domain, for ever. */
int nvtx_stack(uint32_t *texts, int most);
/* The text and the domain of an id; "" of 0. */
const char *nvtx_text(uint32_t id, size_t *len);
const char *nvtx_domain(uint32_t id);

/* Of the writing thread: empties all rings and writes range rows. With `all`,
 * which belongs behind each nvtx_record(false), also what is still open, as it
 * stands: it began with the window or within it, and ends with it. */
void nvtx_drain(struct capture_writer *s, bool all);
/* What found no room since asked last: ranges, registered strings, domains. */
int64_t nvtx_dropped(void);
