/* learned_graph.h - what earlier uploads recorded about CUDA graphs; later
 * uploads are analyzed with these facts. */
#pragma once
#include "db.h"
#include "profile.h"

/* Replaces the facts that this upload recorded before; in the caller's
 * transaction. Queues earlier uploads again whose replays a graph explains that
 * no upload had recorded. */
bool learned_graph_store(struct db *db, int64_t upload,
	const struct profile *runs, uint32_t n, struct err *e);
/* Deletes the facts that the run's upload recorded, if none of its runs is
 * left. */
bool learned_graph_forget(struct db *db, int64_t run, struct err *e);
/* Reads learned graphs by key, and those that the upload of `run` recorded (0:
 * none; they may differ from its replays by a few kernels): for each key the 257 contents that were seen
 * last, each in its latest version. Beyond 500,000 nodes in total, the oldest
 * contents of each key are omitted. */
bool learned_graph_read(struct db *db, struct arena *a, int64_t run,
	const uint8_t (*keys)[32], uint32_t n, struct graph_known **graphs,
	uint32_t *found, struct err *e);
