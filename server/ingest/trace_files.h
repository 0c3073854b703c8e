/* trace_files.h - reads the files of one upload: a trace, or an execution trace
 * and the traces of the stream captures of its graphs.
 *
 * The contents of a file decide what it is:
 *
 *   capture trace    it has stream captures, and no kernels of graph replays
 *   tensors          it is a file of PyTorch's ExecutionTraceObserver
 *   execution trace  any other trace
 *
 * There must be exactly one execution trace. A trace that has both stream
 * captures and replays is a capture trace if another file has replays only:
 * engines may replay each graph once after its capture. The graphs of the capture traces
 * describe its replays as if it had recorded the captures itself. A process
 * whose rank is known uses the captures of that rank if there are any. The rank
 * of a capture is that of its trace; if the trace has none, it is the number
 * after "rank" in the file's name.
 *
 * PyTorch calls the file of its observer an execution trace, too. It says which
 * tensors operators read and write, and belongs to the only process of the
 * execution trace; there may be one.
 *
 * Engines write `execution_details.json` next to captures; this file and the
 * files whose names begin with a dot are skipped. Any other file that is not a
 * trace is an error. */
#pragma once
#include "attribute.h"
#include "catalog.h"
#include "decode.h"
#include "profile.h"

struct trace_files {
	/* Set by the caller. */
	const struct catalog *catalog;
	struct decode_limits limits; /* those of sizes apply to all files
		together */
	struct arena *arena; /* its ceiling limits the memory of all files */
	struct trace *trace; /* empty; becomes the execution trace */

	/* The rest is 0 at first. */
	int64_t plain_bytes; /* of the files, after decompression */
	uint32_t captures; /* number of capture traces */
	struct captured_graph *graphs; /* by key, then content, then rank */
	uint32_t graphs_n, graphs_cap;
	int64_t nodes; /* of all graphs */
	struct arena memory; /* of the graphs */
	struct names texts; /* of the graphs' nodes */
	struct trace_file *execution; /* NULL: not found, or the only file */
	struct trace_file *tensors; /* NULL: none */
};

/* Reads an upload: one file, or a tar archive. */
bool trace_files_read(struct trace_files *f, struct source *s,
	const struct decode_progress *progress, struct err *e);
/* Reads several files one by one: trace_files_add() for each, then
 * trace_files_end(). */
bool trace_files_add(struct trace_files *f, const char *name, struct source *s,
	struct err *e);
bool trace_files_end(struct trace_files *f, struct err *e);

/* The graphs for a process of this rank (-1: unknown), in `a`. They are
 * followed by those of `more`, which may be empty, except those that have the
 * key of one of them. */
bool trace_files_book(const struct trace_files *f, int32_t rank,
	const struct graph_book *more, struct arena *a, struct graph_book *out,
	struct err *e);
/* Adds the graphs to those that a run of this rank recorded. They are stored
 * with the run, and describe replays of other uploads. The profile then refers
 * to *f. */
bool trace_files_learn(const struct trace_files *f, int32_t rank,
	struct profile *p, struct err *e);

/* Also releases the execution trace. */
void trace_files_release(struct trace_files *f);
