/* learned_graph.h - what earlier uploads recorded about CUDA graphs; later
 * uploads are analyzed with these facts. */
#pragma once
#include "db.h"
#include "graph_sketch.h"
#include "profile.h"

/* Replaces the facts that this upload recorded before; in the caller's
 * transaction. Queues earlier uploads again if a graph that no upload had
 * recorded explains their replays, which may differ from it by a few kernels.
 * Runs of an earlier version have no sketches and are not found. */
bool learned_graph_store(struct db *db, int64_t upload,
	const struct profile *runs, uint32_t n, struct err *e);
/* Queues the upload again, which has just been analyzed, if a capture explains
 * its replays that another worker stored since the upload was queued: the
 * analysis may have read the captures before that. A capture that was stored
 * before then and is stored again does not count, or uploads would queue each
 * other without end. In the transaction of
 * learned_graph_store(), after the upload's state is set. */
bool learned_graph_late(struct db *db, int64_t upload,
	const struct profile *runs, uint32_t n, struct err *e);
/* Deletes the facts that the run's upload recorded, if none of its runs is
 * left. */
bool learned_graph_forget(struct db *db, int64_t run, struct err *e);
/* Reads the learned graphs that replays may be replays of: those with a
 * replay's kernels, or, if there are none, the 16 that are most similar by their
 * sketches. The book has a cut if there are more. Also reads those that the
 * upload of `run` recorded (0: none). Of each key the 257 contents that were
 * seen last are read, each in its latest version. Beyond 500,000 nodes in total,
 * the oldest contents of each key are omitted. All of it is in the arena. */
bool learned_graph_read(struct db *db, struct arena *a, int64_t run,
	const struct graph_wanted *wanted, uint32_t n, struct graph_book *out,
	struct err *e);
