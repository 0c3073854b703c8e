/* learned_graph.h - what an upload's runs teach of CUDA graphs is kept: facts, which
 * later uploads are read with. */
#pragma once
#include "profile.h"
#include "db.h"

/* In place of what the upload taught before; in the caller's transaction. */
bool own_graphs_learn(struct db *db, int64_t upload, const struct profile *runs,
	uint32_t n, struct err *e);
/* What the upload of a run taught, once none of its runs is left. */
bool own_graphs_forget(struct db *db, int64_t run, struct err *e);
