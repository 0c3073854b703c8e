/* breakdown.h - the layers of a model in a run, and the time of their parts.
 *
 * Made by analyze/breakdown from one process of a trace and one device of it,
 * stored with the run. A pass is one iteration of iterations.h, or the whole
 * recording if there are none; passes that count are the kept ones of one stratum. What
 * a pass holds is cut into sections: what is before the layers, each kind of
 * layer, what is between stacks of them, what is after. A row is a place in its
 * section, not a kernel: one kernel may have five rows.
 *
 * Times of rows are of their launches whole. Exclusive, overlapped and idle time
 * are unions over the passes' windows, on this device: at a moment with one
 * record under way it is that row's exclusively, at one with more it overlaps, at
 * one with none it is idle:
 *
 *   sum of the rows' exclusive_ns + other_ns + overlap_ns + idle_ns = wall_ns
 *
 * to the nanosecond. */
#pragma once
#include "profile_time.h"
#include <stdbool.h>
#include <stdint.h>

enum layer_block_kind {
#define BLOCK(code, word, what) BLOCK_##code,
#include "layer_block.def"
#undef BLOCK
	BLOCKS
};

enum layer_role {
#define ROLE(code, word, what) ROLE_##code,
#include "layer_role.def"
#undef ROLE
	ROLES
};
/* Several of them: what a fused kernel does. 0: not known. */
typedef uint64_t layer_roles;
#define ROLE_BIT(code) (UINT64_C(1) << ROLE_##code)

enum layer_detector {
	LAYERS_NONE, /* no layers: one flat section */
	LAYERS_MODULES, /* module ranges (nn.Module, layerwise NVTX) */
	LAYERS_RANGES, /* annotations or NVTX ranges that are numbered */
	LAYERS_PERIOD, /* the repeating sequence of kernels */
	LAYERS_GIVEN, /* boundaries named by a request */
};

enum section_place {
	SECTION_BEFORE, /* of a pass, before its first layer */
	SECTION_LAYER, /* layers of one kind */
	SECTION_BETWEEN, /* between two stacks of layers */
	SECTION_AFTER, /* behind the last layer */
	SECTION_FLAT, /* all launches, if no layers were found */
};

struct breakdown_section {
	enum section_place place;
	/* Of layers: the class ("Qwen2DecoderLayer"), or after what they hold:
	 * "attention + moe". Else NULL. */
	const char *name;
	int64_t instances; /* over all passes that count */
	uint32_t per_pass; /* layers of this kind in most passes; else 1 */
	uint32_t first; /* number of the first such layer in a pass, from 0 */
	/* From an instance's first start to its last end. */
	struct time_stats time;
	/* Share of its launches at places that most instances have; NaN where it
	 * has no launches. */
	double similarity;
};

/* Adjacent rows of a section. */
struct breakdown_block {
	uint32_t section;
	enum layer_block_kind kind;
	/* It runs at the same time as another block, on another stream, for most of its time:
	 * the index of that block; else UINT32_MAX. */
	uint32_t parallel_to;
	double sum_ns; /* durations of its rows, mean per instance */
	/* Over all passes that count: its moments alone, those beside any other
	 * record. Of a block, the rows' moments alone, and those in which any of
	 * its rows is under way and none is alone. */
	int64_t exclusive_ns, overlapped_ns;
};

enum { ROW_NO_KERNEL = UINT32_MAX, ROW_NO_GROUP = UINT32_MAX };
/* If a run's launches are at more places than this, those with the shortest time
 * share one further row per block: `operation` is BREAKDOWN_ROW_REST, its lane
 * that of the first. */
enum { BREAKDOWN_ROWS_MOST = 20000 };
#define BREAKDOWN_ROW_REST "further kernels"

struct breakdown_row {
	uint32_t block;
	uint32_t kernel; /* index into profile.kernels; ROW_NO_KERNEL */
	const char *operation; /* of a copy, set or opaque graph; else NULL */
	const char *operator_; /* the catalog's; NULL unknown */
	/* "self_attn.o_proj", "Qwen2Attention.Linear[3]"; NULL unknown. */
	const char *module;
	layer_roles roles;
	bool role_by_module; /* else by its place in the sequence */
	uint32_t lane; /* its stream: 0 the main one, then by time */
	/* Rows of a block whose launches always come together (kernel_groups.h,
	 * or one call of the host): of one group the same number, from 0 in the
	 * order of rows; ROW_NO_GROUP. */
	uint32_t group;
	struct time_stats time; /* over its launches */
	int64_t instances; /* of the section that have it */
	bool extra; /* fewer than half of them have it */
	double offset_ns; /* mean, from the instance's start to the launch's */
	int64_t exclusive_ns, overlapped_ns; /* over all passes that count */
	/* Of its launches whose call's T_SOL is known; a call's bound is divided
	 * among its launches by their time. */
	int64_t bound_launches, bound_ns, sol_ps;
};

/* A layer of the pass, for a bar: the mean of a block's durations over passes that
 * have a layer of that number. Of the first layers only. */
enum { BREAKDOWN_BAR_LAYERS = 512, BREAKDOWN_BARS_MOST = 65536 };
struct breakdown_bar {
	uint32_t layer; /* number in the pass, from 0, over all kinds */
	uint32_t block;
	double mean_ns;
};

/* Where a section came, for checks: by pass, as they come. In no store. */
struct breakdown_instance {
	uint32_t section, pass, number; /* number: of layers, as in bars */
	uint32_t launches;
	int64_t start_ns, end_ns; /* from the run's first record of any kind */
};
/* A pass that counts, likewise. */
struct breakdown_window {
	int64_t start_ns, end_ns;
};

struct breakdown {
	enum layer_detector detector;
	/* 0 to 1: of the launches in layers, the share that are at places which
	 * at least half of the layers of their kind have, one for each layer
	 * and place. Launches outside layers do not count, nor do kinds that come
	 * once, over all passes; if all do, it has no meaning and is 1. 0
	 * without layers. */
	double confidence;
	const char *anchor; /* the class, range or kernel that begins a layer */
	const char *why; /* a sentence if no or fewer layers were found than the
		request wants, or the passes are not the run's iterations; NULL */
	int32_t device; /* -1: the run has no launches */
	bool realigned; /* names were realigned to durations, as the request wants */

	uint32_t passes; /* that count */
	const char
		*stratum; /* what these work on, in words; NULL all the same */
	struct time_stats pass; /* end to end */
	uint32_t layers; /* in most passes, all kinds */
	struct time_stats layered; /* per pass: from the first layer's start to
		the last one's end */
	int64_t wall_ns, overlap_ns, idle_ns;
	int64_t other_ns; /* exclusive time of records that are no pass's that counts */
	int64_t exposed_comm_ns; /* collectives with no computing beside them */

	struct breakdown_section *sections; /* as they come in a pass */
	struct breakdown_block *blocks; /* by section, as they come */
	struct breakdown_row *rows; /* by block, as they come */
	struct breakdown_bar *bars; /* by layer, block */
	/* NULL where it was stored. */
	struct breakdown_instance *instances;
	struct breakdown_window *windows; /* by pass */
	uint32_t sections_n, blocks_n, rows_n, bars_n, instances_n;
};

/* Kernels that are launched together wherever they are launched. */
enum group_evidence {
	GROUP_CALL, /* one call of the host launched them */
	GROUP_SEQUENCE, /* they follow each other between different neighbors */
	GROUP_CATALOG, /* they follow each other, and are parts of one operator */
};
struct kernel_group {
	enum group_evidence evidence;
	const uint32_t *kernels; /* in order; indices into profile.kernels */
	uint32_t kernels_n;
	int64_t support; /* how often they came together */
	/* Of the launches of the member that is least without others, those in
	 * this group or another of its kind: no reduction without its GEMM, be
	 * it one of several. */
	double confidence;
	const char *operator_; /* of all of them; NULL */
	int64_t total_ns; /* of launches in it */
	int64_t alone; /* launches of its kernels that are in no group */
};
struct kernel_groups {
	struct kernel_group *groups; /* most time first */
	uint32_t n;
};
