/* breakdown.h - the layers of a model in a run, and the time of their parts.
 *
 * analyze/breakdown computes a breakdown from one process of a trace and one of
 * its devices; it is stored with the run. A pass is one iteration of
 * iterations.h, or the whole recording if the run has no iterations. The
 * counted passes are the kept iterations of one stratum. A pass is divided into
 * sections: the launches before the layers, each kind of layer, the launches
 * between stacks of layers, and those after the layers. A row is a position in
 * its section, not a kernel: one kernel may have five rows.
 *
 * The duration of a row is the sum of its launches' full durations. Exclusive,
 * overlapped and idle time divide the windows of the passes on this device. If
 * one record runs at a moment, the moment is exclusive time of the record's
 * row. If several records run, it is overlapped time. If none runs, it is idle
 * time. This sum is exact to the nanosecond:
 *
 *   sum of exclusive_ns of all rows + other_ns + overlap_ns + idle_ns = wall_ns
 */
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
/* A set of roles, because a fused kernel has several. 0: not known. */
typedef uint64_t layer_roles;
#define ROLE_BIT(code) (UINT64_C(1) << ROLE_##code)

enum layer_detector {
	LAYERS_NONE, /* no layers: one flat section */
	LAYERS_MODULES, /* module ranges (nn.Module, layerwise NVTX) */
	LAYERS_RANGES, /* numbered annotations or NVTX ranges */
	LAYERS_PERIOD, /* the repeating sequence of kernels */
	LAYERS_GIVEN, /* boundaries named by a request */
};

enum section_place {
	SECTION_BEFORE, /* launches of a pass before its first layer */
	SECTION_LAYER, /* layers of one kind */
	SECTION_BETWEEN, /* between two stacks of layers */
	SECTION_AFTER, /* after the last layer */
	SECTION_FLAT, /* all launches, if no layers were found */
};

/* The work of launches: sums over operator calls, each divided among its launches
 * in proportion to their durations, at the data sheet's peaks of the platform. */
struct section_work {
	double compute_ns, memory_ns; /* W/P and Q/B */
	double recomputed_ns; /* the part of compute_ns that was computed
		before */
	int64_t known_ns; /* duration of the launches in the sums; -1: that was
		not stored */
	int64_t flops_ns; /* of those launches, the ones with operations */
	int64_t recompute_known_ns; /* of these, the ones that are known to
		compute something again or not */
};

struct breakdown_section {
	enum section_place place;
	/* For SECTION_LAYER: the class ("Qwen2DecoderLayer"), or a name made of
	 * the layers' blocks ("attention + moe"). Else NULL. */
	const char *name;
	int64_t instances; /* over all counted passes */
	uint32_t per_pass; /* layers of this kind in most passes; else 1 */
	uint32_t first; /* number of the first such layer in a pass, from 0 */
	/* From an instance's first start to its last end. */
	struct time_stats time;
	/* Share of the section's launches at positions that most instances
	 * have; NaN if the section has no launches. */
	double similarity;
	struct section_work work;
};

/* Adjacent rows of a section. */
struct breakdown_block {
	uint32_t section;
	enum layer_block_kind kind;
	/* If this block runs for most of its time at the same time as another
	 * block on another stream: the index of that block. Else UINT32_MAX. */
	uint32_t parallel_to;
	double sum_ns; /* durations of its rows, mean per instance */
	/* Over all counted passes. exclusive_ns: moments in which one record of
	 * the block's rows runs and no other record. overlapped_ns: moments in
	 * which any of its rows runs, except the exclusive ones. */
	int64_t exclusive_ns, overlapped_ns;
};

enum { ROW_NO_KERNEL = UINT32_MAX, ROW_NO_GROUP = UINT32_MAX };
/* The maximum number of rows. If a run needs more, the rows with the shortest
 * time are merged into one additional row per block. Its `operation` is
 * BREAKDOWN_ROW_REST and its lane is that of the first merged row. */
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
	bool role_by_module; /* else by its position in the sequence */
	uint32_t lane; /* its stream: 0 the main one, then by time */
	/* Number of the group of rows of a block whose kernels are always
	 * launched together (kernel_groups.h, or by one API call). Numbers
	 * count from 0 in the order of rows; ROW_NO_GROUP if it is in no
	 * group. */
	uint32_t group;
	struct time_stats time; /* over its launches */
	int64_t instances; /* of the section that have this row */
	bool extra; /* fewer than half of the instances have this row */
	double offset_ns; /* mean, from the instance's start to the launch's */
	int64_t exclusive_ns, overlapped_ns; /* over all counted passes */
	/* Over its launches whose operator call has a known T_SOL. The bound of
	 * a call is divided among its launches in proportion to their time. */
	int64_t bound_launches, bound_ns, sol_ps;
	int64_t clock_sol_ps; /* at the run's SM clock; equal if unknown */
};

/* The time of one block in one layer of a pass, for a bar chart: the mean over
 * passes that have a layer of that number. Only the first BREAKDOWN_BAR_LAYERS
 * layers have bars. */
enum { BREAKDOWN_BAR_LAYERS = 512, BREAKDOWN_BARS_MOST = 65536 };
struct breakdown_bar {
	uint32_t layer; /* number in the pass, from 0, over all kinds */
	uint32_t block;
	double mean_ns;
};

/* One instance of a section, for checks; sorted by pass and time. Not
 * stored. */
struct breakdown_instance {
	uint32_t section, pass, number; /* number: of layers, as in bars */
	uint32_t launches;
	int64_t start_ns, end_ns; /* from the run's first record of any kind */
};
/* The window of one counted pass, for checks. Not stored. */
struct breakdown_window {
	int64_t start_ns, end_ns;
};

struct breakdown {
	enum layer_detector detector;
	/* 0 to 1: the share of the launches in layers whose position exists in
	 * at least half of the layers of their kind. At most one launch per
	 * layer and position counts as such. Launches outside layers do not
	 * count, nor do kinds with a single layer over all passes. If there are
	 * only such kinds, the share has no meaning and is 1. 0 without
	 * layers. */
	double confidence;
	const char *anchor; /* the class, range or kernel that begins a layer */
	const char *why; /* a sentence if no layers or fewer layers were found
		than the request wants, or if the passes are not the run's
		iterations; else NULL */
	int32_t device; /* -1: the run has no launches */
	bool realigned; /* names were realigned to durations, as the request wants */

	uint32_t passes; /* number of counted passes */
	const char *stratum; /* what the counted passes work on, in words; NULL
		if all passes work on the same sizes */
	struct time_stats pass; /* end to end */
	uint32_t layers; /* of all kinds, in most passes */
	struct time_stats layered; /* per pass: from the first layer's start to
		the last one's end */
	int64_t wall_ns, overlap_ns, idle_ns;
	int64_t other_ns; /* exclusive time of records outside counted passes */
	int64_t exposed_comm_ns; /* collectives while no computation runs */

	struct breakdown_section *sections; /* in the order of a pass */
	struct breakdown_block *blocks; /* by section, in order */
	struct breakdown_row *rows; /* by block, in order */
	struct breakdown_bar *bars; /* by layer, block */
	/* NULL if the breakdown was read from the store. */
	struct breakdown_instance *instances;
	struct breakdown_window *windows; /* by pass */
	uint32_t sections_n, blocks_n, rows_n, bars_n, instances_n;
};

/* Kernels that are always launched together. */
enum group_evidence {
	GROUP_CALL, /* one API call launched them */
	GROUP_SEQUENCE, /* they follow each other between different neighbors */
	GROUP_CATALOG, /* they follow each other and are parts of one
		operator */
};
struct kernel_group {
	enum group_evidence evidence;
	const uint32_t *kernels; /* in order; indices into profile.kernels */
	uint32_t kernels_n;
	int64_t support; /* how often they were launched together */
	/* For the member that is least often launched without the others: the
	 * share of its launches that are in this group or in another group of
	 * this kind. Example: no reduction is launched without a GEMM, which
	 * may be one of several GEMMs. */
	double confidence;
	const char *operator_; /* of all members; NULL if there is none */
	int64_t total_ns; /* of the launches in the group */
	int64_t alone; /* launches of its kernels that are in no group */
};
struct kernel_groups {
	struct kernel_group *groups; /* most time first */
	uint32_t n;
};
