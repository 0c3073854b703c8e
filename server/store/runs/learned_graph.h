/* learned_graph.h - what uploads taught about CUDA graphs: facts that later
 * uploads are analyzed with. */
#pragma once
#include "db.h"
#include "profile.h"

/* Replaces what the upload taught before; in the caller's transaction. */
bool learned_graph_store(struct db *db, int64_t upload,
	const struct profile *runs, uint32_t n, struct err *e);
/* Deletes what the upload of a run taught if none of its runs is left. */
bool learned_graph_forget(struct db *db, int64_t run, struct err *e);
/* Learned graphs by key: per key the 257 contents that were seen last, each as
 * it was learned last. Beyond 500,000 nodes in total, the oldest contents of
 * their keys are left out. */
bool learned_graph_read(struct db *db, struct arena *a,
	const uint8_t (*keys)[32], uint32_t n, struct graph_known **graphs,
	uint32_t *found, struct err *e);
