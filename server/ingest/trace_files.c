/* trace_files.c - finds the execution trace among the files of an upload, and
 * keeps the graphs of the others.
 *
 * Each file is decoded into an arena of its own. The execution trace stays; a
 * capture trace is analyzed, its graphs are copied, and its arena is released
 * before the next file is read. */
#include "trace_files.h"
#include "analyze.h"
#include "graph_capture.h"
#include "utf8.h"
#include <stdlib.h>
#include <string.h>

/* The graphs of one upload may have this many kernels: as many as are read
 * from earlier uploads (learned_graph.c). vLLM's capture of a model for one
 * batch size has 361 to 421 (public traces of Llama and gpt-oss). */
enum { TRACE_FILES_NODES = 500000 };

struct trace_file {
	struct arena arena;
	struct trace trace;
	char name[256];
	bool captures; /* it has stream captures */
	bool replays; /* it has kernels of graph replays */
};

struct captured_graph {
	struct graph_known is;
	int32_t rank; /* -1 unknown */
};

static struct trace_file *trace_files_file_new(struct trace_files *f,
	const char *name, struct err *e)
{
	struct trace_file *file = calloc(1, sizeof *file);

	if (!file) {
		err_set(e, ERR_BUSY,
			"this machine has no memory left for an ingest");
		return NULL;
	}
	memcpy(file->name, name,
		utf8_clip(name, strlen(name), sizeof file->name - 1));
	file->arena = arena_scratch(f->arena);
	return file;
}

static void trace_files_file_free(struct trace_files *f,
	struct trace_file *file)
{
	if (file)
		arena_scratch_release(&file->arena, f->arena);
	free(file);
}

static const char *trace_files_base_name(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

/* The number after the last "rank" of a file's name, such as "rank_3" or
 * "rank3"; -1 if there is none. */
static int32_t trace_files_rank_of_name(const char *name)
{
	int64_t rank = -1;

	name = trace_files_base_name(name);
	for (const char *at = name; (at = strstr(at, "rank"));) {
		at += strlen("rank");
		const char *digit = at + (*at && strchr("_-.", *at));
		if (*digit < '0' || *digit > '9')
			continue;
		for (rank = 0; *digit >= '0' && *digit <= '9'; digit++)
			if (rank <= INT32_MAX)
				rank = rank * 10 + (*digit - '0');
	}
	return rank > INT32_MAX ? -1 : (int32_t)rank;
}

/* Finds out what the trace has. False if the arena is full. */
static bool trace_files_look(struct trace_file *file)
{
	const struct trace *t = &file->trace;
	uint8_t *seen = arena_grow(t->arena, NULL, t->names.n);
	bool launches_graph = false;

	for (uint32_t i = 0; seen && i < t->call.n; i++) {
		uint32_t name = t->call.name[i];
		const char *text = names_text(&t->names, name);
		if (seen[name])
			continue;
		seen[name] = 1;
		launches_graph |= strstr(text, "GraphLaunch") != NULL;
		file->captures |= strstr(text, "StreamBeginCapture") != NULL;
	}
	arena_drop(t->arena, seen);
	file->replays = t->graph.n > 0 || (launches_graph && t->kernel.n > 0);
	for (uint32_t i = 0; !file->replays && i < t->kernel.n; i++)
		file->replays = t->kernel.graph_node[i] > 0;
	return seen;
}

static const char *trace_files_text(struct trace_files *f, const char *text)
{
	if (!text)
		return NULL;
	uint32_t id = names_put(&f->texts, text, strlen(text));
	return id == NAMES_NONE ? NULL : names_text(&f->texts, id);
}

/* Copies a graph whose memory is released soon. */
static bool trace_files_graph_add(struct trace_files *f,
	const struct graph_known *g, int32_t rank)
{
	struct graph_node_known *nodes =
		arena_array(&f->memory, struct graph_node_known, g->n);

	if (f->graphs_n == f->graphs_cap) {
		uint32_t cap = f->graphs_cap * 2 + 16;
		void *grown = arena_grow(&f->memory, f->graphs,
			cap * sizeof *f->graphs);
		if (!grown)
			return false;
		f->graphs = grown;
		f->graphs_cap = cap;
	}
	for (uint32_t i = 0; nodes && i < g->n; i++) {
		nodes[i] = g->nodes[i];
		nodes[i].kernel = trace_files_text(f, g->nodes[i].kernel);
		nodes[i].op = trace_files_text(f, g->nodes[i].op);
		nodes[i].shape = trace_files_text(f, g->nodes[i].shape);
	}
	if (f->memory.full)
		return false;
	f->graphs[f->graphs_n] = (struct captured_graph){ *g, rank };
	f->graphs[f->graphs_n++].is.nodes = nodes;
	f->nodes += g->n;
	return true;
}

static bool trace_files_graphs_add(struct trace_files *f,
	const struct operators *o, int32_t rank, struct err *e)
{
	if (!f->texts.arena) {
		f->memory = arena_scratch(f->arena);
		if (!names_init(&f->texts, &f->memory))
			return arena_err(&f->memory, e);
	}
	for (uint32_t i = 0; i < o->learned_n; i++) {
		if (f->nodes + o->learned[i].n > TRACE_FILES_NODES)
			return err_set(e, ERR_TOO_LARGE,
				"the capture traces of the upload have more "
				"than %d captured kernels; send fewer of them",
				TRACE_FILES_NODES);
		if (!trace_files_graph_add(f, &o->learned[i], rank))
			return arena_err(&f->memory, e);
	}
	return true;
}

/* Takes the graphs of a capture trace. */
static bool trace_files_capture(struct trace_files *f, struct trace_file *file,
	struct err *e)
{
	const struct trace *t = &file->trace;
	uint32_t before = f->graphs_n;

	f->captures++;
	for (uint32_t i = 0; i < t->processes_n; i++) {
		struct profile *p = arena_new(&file->arena, struct profile);
		int32_t rank = t->processes[i].rank;
		if (rank < 0)
			rank = trace_files_rank_of_name(file->name);
		if (!p)
			return arena_err(&file->arena, e);
		if (!profile_from(t, i, f->catalog, NULL, &file->arena, p, e) ||
			!trace_files_graphs_add(f, &p->operators, rank, e))
			return false;
	}
	return f->graphs_n > before ||
	       err_set(e, ERR_TRACE,
		       "it has stream captures, but none that is complete and "
		       "names its kernels; send the execution trace without "
		       "it");
}

static void trace_files_keep(struct trace_files *f, struct trace_file *file)
{
	f->execution = file;
	f->arena->lent =
		file->arena.taken + (f->tensors ? f->tensors->arena.taken : 0);
}

/* Keeps the file of PyTorch's observer. */
static bool trace_files_tensors(struct trace_files *f, struct trace_file *file,
	bool *keep, struct err *e)
{
	if (f->tensors)
		return err_set(e, ERR_TRACE,
			"it is an execution trace of PyTorch, but so is "
			"'%.*s'; an upload may have one",
			(int)utf8_clip(f->tensors->name,
				strlen(f->tensors->name), 100),
			f->tensors->name);
	f->tensors = file;
	f->arena->lent += file->arena.taken;
	*keep = true;
	return true;
}

/* Every trace of PyTorch numbers its operators, and only an execution trace of
 * PyTorch needs the numbers: 16 bytes per operator call. */
static void trace_files_functions_drop(struct trace *t)
{
	arena_drop(t->arena, t->op_functions);
	t->op_functions = NULL;
	t->op_functions_n = t->op_functions_cap = 0;
}

/* Adds the tensors to the execution trace, which refers to them. */
static bool trace_files_tensors_add(struct trace_files *f, struct err *e)
{
	struct trace *to = &f->execution->trace;
	const struct trace *from = f->tensors ? &f->tensors->trace : NULL;

	if (!from) {
		trace_files_functions_drop(to);
		return true;
	}
	if (to->processes_n != 1)
		return err_set(e, ERR_TRACE,
			"an execution trace of PyTorch belongs to one process, "
			"but the trace has %u; send the trace without it",
			to->processes_n);
	if (!to->op_functions_n)
		return err_set(e, ERR_TRACE,
			"the operators of the trace have no 'Record function "
			"id', by which an execution trace of PyTorch is joined "
			"with them; record both at the same time, or send the "
			"trace without it");
	to->tensor_uses = from->tensor_uses;
	to->tensor_uses_n = from->tensor_uses_n;
	to->backward_uses = from->backward_uses;
	return true;
}

/* Keeps the execution trace. If two files can be it, one with replays and
 * without stream captures is, and the other one is a capture trace that also
 * replayed its graphs. *keep: `file` is the execution trace so far. */
static bool trace_files_execution(struct trace_files *f,
	struct trace_file *file, bool *keep, struct err *e)
{
	struct trace_file *other = f->execution;
	bool replaces = other && other->captures && other->replays &&
			file->replays && !file->captures;
	bool is_capture = other && file->captures && file->replays &&
			  other->replays && !other->captures;

	if (is_capture)
		return trace_files_capture(f, file, e);
	if (other && !replaces)
		return err_set(e, ERR_TRACE,
			"it can be the execution trace, but so can '%.*s'; "
			"send each in an upload of its own, with the capture "
			"traces of its rank",
			(int)utf8_clip(other->name, strlen(other->name), 100),
			other->name);
	trace_files_keep(f, file);
	*keep = true;
	bool ok = !other || trace_files_capture(f, other, e);
	if (other)
		trace_files_file_free(f, other);
	return ok;
}

struct trace_files_progress {
	const struct trace_files *files;
	int64_t plain_bytes; /* of the current file */
};

static bool trace_files_tell(void *ctx, int64_t stored_bytes,
	int64_t plain_bytes, struct err *e)
{
	struct trace_files_progress *p = ctx;
	int64_t most = p->files->limits.plain_bytes;

	(void)stored_bytes;
	p->plain_bytes = plain_bytes;
	return plain_bytes <= most - p->files->plain_bytes ||
	       err_set(e, ERR_TOO_LARGE,
		       "the files of the upload are together larger than %lld "
		       "MiB when unpacked; send fewer captures, or raise "
		       "--max-uncompressed-mib",
		       (long long)(most >> 20));
}

/* Decodes a file and decides what it is. *keep: it is the execution trace. */
static bool trace_files_take(struct trace_files *f, struct trace_file *file,
	struct source *s, bool *keep, struct err *e)
{
	struct trace_files_progress at = { .files = f };
	const struct decode_progress progress = { trace_files_tell, &at };

	*keep = false;
	if (!trace_init(&file->trace, &file->arena))
		return arena_err(&file->arena, e);
	if (!decode(s, &f->limits, &progress, &file->trace, e))
		return false;
	f->plain_bytes += at.plain_bytes;
	if (file->trace.tensor_uses_n)
		return trace_files_tensors(f, file, keep, e);
	if (!trace_files_look(file))
		return arena_err(&file->arena, e);
	return file->captures && !file->replays
		       ? trace_files_capture(f, file, e)
		       : trace_files_execution(f, file, keep, e);
}

bool trace_files_add(struct trace_files *f, const char *name, struct source *s,
	struct err *e)
{
	const char *base = trace_files_base_name(name);
	struct err why = { 0 };
	bool keep = false;

	if (*base == '.' || !strcmp(base, "execution_details.json"))
		return true;
	struct trace_file *file = trace_files_file_new(f, name, e);
	if (!file)
		return false;
	bool ok = trace_files_take(f, file, s, &keep, &why);
	/* The ceiling of these arenas is what is left of the upload's. */
	bool full = file->arena.full || f->memory.full;
	if (!keep)
		trace_files_file_free(f, file);
	f->arena->full |= full;
	f->arena->refused |= f->memory.refused;
	if (full)
		return arena_err(f->arena, e);
	return ok ||
	       err_set(e, why.code, "'%.*s': %s",
		       (int)utf8_clip(name, strlen(name), 100), name, why.text);
}

static int trace_files_by_graph(const void *left, const void *right)
{
	const struct captured_graph *a = left, *b = right;
	int graph = graph_capture_compare(&a->is, &b->is);

	return graph ? graph : (a->rank > b->rank) - (a->rank < b->rank);
}

bool trace_files_end(struct trace_files *f, struct err *e)
{
	if (!f->execution && f->captures)
		return err_set(e, ERR_TRACE,
			"all %u traces of the upload are traces of stream "
			"captures; add the trace that replays the graphs",
			f->captures);
	if (!f->execution)
		return err_set(e, ERR_TRACE,
			"the upload has no trace; add the trace that replays "
			"the graphs");
	if (!trace_files_tensors_add(f, e))
		return false;
	note_merge(&f->execution->trace.notes, &f->trace->notes);
	*f->trace = f->execution->trace;
	if (f->graphs_n)
		qsort(f->graphs, f->graphs_n, sizeof *f->graphs,
			trace_files_by_graph);
	return true;
}

static bool trace_files_member(void *ctx, const char *name, struct source *s,
	struct err *e)
{
	return trace_files_add(ctx, name, s, e);
}

bool trace_files_read(struct trace_files *f, struct source *s,
	const struct decode_progress *progress, struct err *e)
{
	const struct decode_target to = { f->trace, trace_files_member, f };
	bool archive = false;

	if (!decode_files(s, &f->limits, progress, &to, &archive, e))
		return false;
	if (archive)
		return trace_files_end(f, e);
	trace_files_functions_drop(f->trace);
	return !f->trace->tensor_uses_n ||
	       err_set(e, ERR_TRACE,
		       "this is an execution trace of PyTorch, which has no "
		       "times; send it together with the trace of "
		       "torch.profiler that was recorded at the same time");
}

/* Lists the graphs for a rank, each content once; `to` has room for all. */
static uint32_t trace_files_of_rank(const struct trace_files *f, int32_t rank,
	struct graph_known *to)
{
	bool known = false;
	uint32_t n = 0;

	for (uint32_t i = 0; rank >= 0 && i < f->graphs_n; i++)
		known |= f->graphs[i].rank == rank;
	for (uint32_t i = 0; i < f->graphs_n; i++) {
		const struct captured_graph *g = &f->graphs[i];
		if (known && g->rank != rank)
			continue;
		if (n && !graph_capture_compare(&to[n - 1], &g->is))
			continue;
		to[n++] = g->is;
	}
	return n;
}

static int trace_files_by_key(const void *left, const void *right)
{
	return graph_capture_compare(left, right);
}

/* Whether one of the first n graphs, which are sorted, has the key. */
static bool trace_files_has_key(const struct graph_known *graphs, uint32_t n,
	const uint8_t key[32])
{
	uint32_t from = 0, to = n;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (memcmp(graphs[middle].key, key, 32) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from < n && memcmp(graphs[from].key, key, 32) == 0;
}

bool trace_files_book(const struct trace_files *f, int32_t rank,
	const struct graph_book *more, struct arena *a, struct graph_book *out,
	struct err *e)
{
	struct graph_known *all = arena_array(a, struct graph_known,
		(size_t)f->graphs_n + more->n + 1);

	*out = *more;
	out->graphs = all;
	if (!all)
		return arena_err(a, e);
	uint32_t own = trace_files_of_rank(f, rank, all), n = own;
	for (uint32_t i = 0; i < more->n; i++)
		if (!trace_files_has_key(all, own, more->graphs[i].key))
			all[n++] = more->graphs[i];
	qsort(all, n, sizeof *all, trace_files_by_key);
	out->n = n;
	return true;
}

bool trace_files_learn(const struct trace_files *f, int32_t rank,
	struct profile *p, struct err *e)
{
	struct operators *o = &p->operators;
	struct graph_known *all;

	if (!f->graphs_n)
		return true;
	all = arena_array(p->arena, struct graph_known,
		(size_t)f->graphs_n + o->learned_n);
	if (!all)
		return arena_err(p->arena, e);
	uint32_t n = trace_files_of_rank(f, rank, all);
	if (o->learned_n)
		memcpy(all + n, o->learned, o->learned_n * sizeof *all);
	o->learned = all;
	o->learned_n += n;
	return true;
}

void trace_files_release(struct trace_files *f)
{
	trace_files_file_free(f, f->execution);
	trace_files_file_free(f, f->tensors);
	arena_release(&f->memory);
	*f = (struct trace_files){ 0 };
}
