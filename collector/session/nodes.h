/* nodes.h - the ranges that were open when a CUDA graph's node was made.
 *
 * NVTX ranges exist while a graph is captured, not when it is replayed. So
 * when a node is created the thread's open ranges are kept under the node's
 * id; when a graph is cloned (instantiated) its nodes take them along. A
 * replayed kernel's record carries the node's id, and the server finds the
 * ranges under it. Bounded: nodes past NODES_MAX are counted and dropped.
 * Called from CUPTI's resource callbacks on application threads: takes no
 * lock, never waits, allocates nothing outside its mapping. A node id that
 * comes again is a new node and is written again; but what a clone has of
 * its original stays, because CUPTI reports clones as new nodes, too. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NODES_MAX = 1 << 18, NODES_DEPTH = 16 };

struct nodes;

/* From mmap; pages are taken as they are used. NULL: no memory. */
struct nodes *nodes_new(void);
void nodes_free(struct nodes *n);

/* `stack` holds ids of nvtx_text(), innermost first; beyond NODES_DEPTH the
 * outermost are left out. */
void nodes_created(struct nodes *n, uint64_t node, const uint32_t *stack,
	int depth);
void nodes_cloned(struct nodes *n, uint64_t from, uint64_t to);

/* Calls `f` for each node with ranges that was not written yet; for one
 * thread. If `f` returns false it ends, and begins with that node the next
 * time. All are written again after nodes_again(), when a new capture
 * begins. */
typedef bool nodes_fn(void *ctx, uint64_t node, const uint32_t *stack,
	int depth);
void nodes_write(struct nodes *n, nodes_fn *f, void *ctx);
void nodes_again(struct nodes *n);
/* Nodes that found no room since the last call. */
int64_t nodes_lost(struct nodes *n);
