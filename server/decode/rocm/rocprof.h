/* rocprof.h - the processes of a rocprofv3 JSON file, one after the other.
 *
 * What a record refers to (the kernel's name, the agent, the operation, the
 * marker's message) may come before it or after it. A row keeps the file's
 * numbers until its process is over; rocprof_process_end() then replaces them.
 * Until then
 *
 *         kernel  graph_id is the kernel's id, device an id of `agents`,
 *                 launch an id of `shapes`
 *         copy    name is an operation, device and external_id are ids of
 *                 `agents` (to, from)
 *         call    name is an operation
 *         range   name is an operation, id the correlation its message has
 *
 * where an operation is its kind << 16 | its number. */
#pragma once
#include "json_reader.h"
#include "rocm.h"
#include "rocprof_read.h"

enum { ROCPROF_PROCESSES_MAX = 16384 };

struct rocprof {
	struct trace *trace;
	struct json_reader json;
	struct word_table words;
	struct text text;
	int64_t records, used; /* of any kind; became a row */

	union rocprof_thing thing; /* the one being read */
	char section[32]; /* the key of the list it is in */

	/* Of the process being read: */
	bool open;
	struct process process;
	struct slice kernels, copies, calls, ranges; /* its rows; `from` */
	int64_t kinds; /* lists of operations so far, -1: one was broken */
	int32_t gpus; /* so far, for those without a number */
	struct fact_list facts;
	struct names raw; /* texts as the file spells them, of all */
	struct names agents, shapes; /* met in rows, of all */
	struct rocm_map numbers; /* agent → device, -1 the host */
	struct rocm_map symbols; /* kernel → vgprs << 32 | id of raw */
	struct rocm_map names; /* operation → id of raw */
	struct rocm_map messages; /* correlation → id of raw */
	struct rocm_map ancestors; /* correlation of an HSA call → its caller */
	struct rocm_times kernel_times, copy_times, call_times, range_times;
	uint32_t processes_cap, devices_cap;
};

bool rocprof_init(struct rocprof *r, struct byte_window *w, struct trace *t);

/* A process of the file begins, ends. At its end the rows become what they
 * are; where it has none, neither it nor its devices are kept. One that begins
 * while another is open ends that one first: in a damaged file the list of
 * processes may begin inside a process, and rows that are left as they were
 * read would have numbers of the file in place of ids of names. False with *e
 * where the arena is full or there are too many. */
bool rocprof_process_begin(struct rocprof *r, struct err *e);
bool rocprof_process_end(struct rocprof *r, struct err *e);

/* What was read last becomes a row, or is kept for those that refer to it, or
 * is counted as of no use. False where the arena is full. */
typedef bool rocprof_add_fn(struct rocprof *r);
rocprof_add_fn rocprof_kernel_add, rocprof_copy_add, rocprof_call_add,
	rocprof_range_add, rocprof_hsa_add, rocprof_other_add;
rocprof_add_fn rocprof_symbol_add, rocprof_agent_add, rocprof_operations_add,
	rocprof_message_add, rocprof_metadata_add;
