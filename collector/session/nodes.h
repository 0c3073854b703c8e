/* nodes.h - the ranges that were open when a node of a CUDA graph was created.
 *
 * NVTX ranges exist while a graph is captured, not when it is replayed. So
 * when a node is created, the thread's open ranges are stored under the node's
 * id. When a graph is cloned (instantiated), the ranges are stored under the
 * ids of the new nodes, too. The record of a replayed kernel contains the
 * node's id, and the server finds the ranges under that id.
 *
 * The table is bounded: nodes after NODES_MAX are counted and dropped. CUPTI's
 * resource callbacks call these functions on application threads. They take no
 * lock, never wait, and allocate nothing outside the table's mapping. A node
 * whose id exists already is a new node and is written again. But a clone
 * keeps the ranges of its original when CUPTI reports that clone as a new
 * node, too. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NODES_MAX = 1 << 18, NODES_DEPTH = 16 };

struct nodes;

/* The table is mapped with mmap; pages use memory only after they are touched.
 * NULL if there is no memory. */
struct nodes *nodes_new(void);
void nodes_free(struct nodes *n);

/* `stack` contains ids of nvtx_text(), innermost first. Ranges outside the
 * innermost NODES_DEPTH are left out. */
void nodes_created(struct nodes *n, uint64_t node, const uint32_t *stack,
	int depth);
void nodes_cloned(struct nodes *n, uint64_t from, uint64_t to);

/* Calls `f` for each node that has ranges and was not written yet; for one
 * thread. If `f` returns false, the function returns, and its next call begins
 * with that node. nodes_again() is called when a new capture begins; all nodes
 * are then written again. */
typedef bool nodes_fn(void *ctx, uint64_t node, const uint32_t *stack,
	int depth);
void nodes_write(struct nodes *n, nodes_fn *f, void *ctx);
void nodes_again(struct nodes *n);
/* Nodes that found no room since the last call. */
int64_t nodes_lost(struct nodes *n);
