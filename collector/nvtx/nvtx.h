/* nvtx.h - records NVTX ranges through our own injection library, which needs
 * neither CUPTI nor a GPU.
 *
 * Handlers run in the application's threads and never wait. Each thread always
 * keeps a stack of its open ranges with copies of their texts. So the nodes of
 * a CUDA graph have operators even if the graph is captured between windows.
 * Inside windows, each range that ends becomes one record, with its text, in
 * the thread's own ring. A table of texts would be full within seconds,
 * because PyTorch's texts contain counters and hardly ever repeat. Only
 * domains, registered strings and the texts that nvtx_stack() reads are kept
 * until the process ends, in a bounded table. Whatever finds no room is
 * counted. README.md lists what is read of NVTX and what each call costs. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture_writer;

/* The bodies of InitializeInjectionNvtx2 and InitializeInjectionNvtxExtension.
 * Their arguments have types of nvtx3, which only nvtx.c sees. They always
 * return 1, because 0 would make the client unload the library. */
int nvtx_attach(void *get_export_table);
int nvtx_attach_extension(void *module_info);

/* Switches recording on or off. Any thread may call it, also in a forked
 * child. */
void nvtx_record(bool on);

/* The function that is called when a ring becomes half full, once per filling.
 * It runs in an application's thread and must not wait. */
typedef void nvtx_wake_fn(void *ctx);
void nvtx_wakes(nvtx_wake_fn *wake, void *ctx);

/* Writes the calling thread's open ranges, innermost first. Returns how many
 * were written. An id always means the same text in the same domain. */
int nvtx_stack(uint32_t *texts, int most);
/* The text and the domain of an id. "" for 0. */
const char *nvtx_text(uint32_t id, size_t *len);
const char *nvtx_domain(uint32_t id);

/* For the writing thread: empties all rings and writes range rows. Pass `all`
 * once after each nvtx_record(false). It also writes the ranges that are still
 * open: such a row begins when the range or the window began, whichever is
 * later, and ends with the window. */
void nvtx_drain(struct capture_writer *s, bool all);
/* How many ranges, registered strings and domains found no room since the last
 * call. */
int64_t nvtx_dropped(void);
