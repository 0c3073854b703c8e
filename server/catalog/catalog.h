/* catalog.h - names and costs of kernels and operators, and peaks of hardware.
 *
 * The data in data/ are compiled into the program; comments call them
 * "carried". struct catalog_own adds the installation's own entries. The data
 * are operators with their sizes, rules that map names to operators, cost
 * formulas, and platforms with their peaks. Many threads may share one catalog.
 * Its texts live as long as the catalog.
 *
 * Patterns are PCRE2, compiled with JIT and tried in order. PCRE2's match limit
 * bounds the time of a search in one name. */
#pragma once
#include "cost.h"
#include "err.h"
#include "profile.h"
#include <string.h>

struct catalog;

/* Increased when a change in data/ changes a result. Each run stores it. */
#define CATALOG_VERSION 3

/* An installation's own entries, in the JSON that PUT accepts; NULL if it has
 * none. Its operators and platforms replace the carried ones of the same name,
 * and its rules are tried before all others. `version` counts the edits. */
struct catalog_own {
	const char *operators, *rules, *platforms;
	int64_t version;
};

/* Opens a catalog. NULL if an own entry is wrong: ERR_INPUT with a sentence
 * that names the entry. A test shows that the carried data have no errors. */
struct catalog *catalog_new(const struct catalog_own *own, struct err *e);
/* Rejects what catalog_new() ignores in own operators: a key of 'cost' that
 * names no convention. For edits only: a stored document may have such a key
 * from an earlier version. `operators` is the JSON that PUT accepts. */
bool catalog_edit_check(const char *operators, struct err *e);
void catalog_free(struct catalog *c);

/* "1" or "1+7": the program's CATALOG_VERSION and the version of the own
 * entries. */
const char *catalog_version(const struct catalog *c);

/* ---- kernels */

/* Fills *out from the first rule that matches, or with NULL if none matches.
 * Returns false if a rule reached the match limit. That rule, and others
 * compiled with it, then count as rules that do not match. */
bool catalog_kernel(const struct catalog *c, const char *name, size_t len,
	struct kernel_source *out);

struct rule_info {
	const char *match;
	struct kernel_source is;
	const char *op; /* NULL: unknown */
	bool own;
};
/* All rules, in the order in which they are tried. */
uint32_t catalog_rules(const struct catalog *c, const struct rule_info **all);

/* How the rules classify a name, for authors of rules. */
struct rule_trial {
	int64_t rule; /* position from 0 among all rules; -1: none matches */
	bool own;
	const char *match; /* the pattern; NULL */
	uint32_t from, to; /* bytes of the name that the pattern matched */
	struct kernel_source is;
	const char *op;
	const char *why; /* a sentence with the reason; never NULL */
};
/* Returns false if a pattern reached a limit (ERR_TOO_LARGE), which
 * catalog_kernel() treats as no match. The texts are allocated from `a`. */
bool catalog_trial(const struct catalog *c, const char *name, size_t len,
	struct arena *a, struct rule_trial *out, struct err *e);

/* The stem of a kernel's name. Its text is allocated from `a`. False if the
 * arena is full. */
bool catalog_kernel_stem(const struct catalog *c, const char *name,
	struct arena *a, struct kernel_stem *out);

/* ---- operators */

struct operator_info {
	const char *name; /* "rms_norm" */
	const char *what; /* one sentence */
	const char *group; /* "norm", "gemm", … for people */
	bool specific; /* false: "other" and similar ones, which explain nothing */
	bool collective; /* waits for other ranks */
	const char *const *sizes; /* names, in the order of shape_text() */
	uint32_t sizes_n;
	/* Names of sizes in the imported set and in Atrex-Bench: pairs of such
	 * a name and the catalog's name. */
	const char *const *aliases;
	uint32_t aliases_n;
	/* parts: operators whose kernels implement this one (a convolution by
	 * GEMM). holds: independent operators that this one may call (experts
	 * call routing). */
	const char *const *parts, *const *holds;
	uint32_t parts_n, holds_n;
	bool own;
};

/* How a kernel's operator by name relates to that of the host operator that
 * launched it. Copies and fills are parts of any operator. */
enum fit {
	FIT_SAME,
	FIT_PART, /* the launch is attributed to the host's operator */
	FIT_HOLDS, /* the launch is attributed to the kernel's operator */
	FIT_OTHER, /* the two operators contradict each other */
};
enum fit catalog_fit(const struct operator_info *host,
	const struct operator_info *kernel);

/* NULL if there is none. */
const struct operator_info *catalog_operator(const struct catalog *c,
	const char *name);
/* All, by name. */
uint32_t catalog_operators(const struct catalog *c,
	const struct operator_info *const **all);
/* The operator that a host operator's name means ("aten::addmm",
 * "vllm::rms_norm", "_C::silu_and_mul"); NULL if it is unknown, or if it only
 * calls others (aten::linear, aten::to). */
const struct operator_info *catalog_op(const struct catalog *c,
	const char *name, size_t len);
enum { CATALOG_OP_NAME_MAX = 256 };
/* The name by which a host operator is known here, if it was recorded in
 * another form: "torch.ops.vllm.rms_norm.default" is "vllm::rms_norm", and
 * "sglang_profiler::layernorm_rmsnorm_12" has a number that differs per process.
 * Returns `name` itself if it needs no change or is longer than `buf`, otherwise
 * `buf`; *len is the length of the result. */
const char *catalog_op_name(const char *name, size_t *len,
	char buf[CATALOG_OP_NAME_MAX]);
/* The operator of a kernel by its name alone; NULL if unknown. It uses the
 * rules of catalog_kernel(), with one search. */
const struct operator_info *catalog_kernel_operator(const struct catalog *c,
	const char *name, size_t len);
/* The operator that a module class represents ("RMSNorm",
 * "QKVParallelLinear"); NULL if there is none. */
const struct operator_info *catalog_module(const struct catalog *c,
	const char *class_name, size_t len);

/* ---- cost */

/* W and Q of one call. Returns false with a sentence if a size is unknown, if
 * the operator has no formula (ERR_NOT_FOUND) or if a figure exceeds 64 bits
 * (ERR_TOO_LARGE). */
bool catalog_cost(const struct catalog *c, const struct operator_info *op,
	const struct shape *s, enum convention convention, struct cost *out,
	struct err *e);

/* ---- labels of serving steps */

/* Sums over the requests of a step: their number; q, the new tokens; k, the
 * tokens of their contexts with the new ones; q²; q·k. -1: unknown. */
struct step_sums {
	int64_t reqs, q, k, qq, qk;
};

/* What a serving engine wrote into the name of a step: the sums of all
 * requests, and of those in each phase. */
struct step_label {
	const char *engine; /* "vLLM" */
	enum phase phase;
	struct step_sums all, prefill, decode;
	const char
		*lacks; /* why k, qq or qk is unknown; NULL if they are known */
	bool contradictory; /* no requests can have the label's numbers */
};

enum step_label_found {
	STEP_LABEL_NONE, /* the name is no label */
	STEP_LABEL_BROKEN, /* numbers are missing, negative or too large */
	STEP_LABEL_READ,
};
/* Fills *out if the result is STEP_LABEL_READ. */
enum step_label_found catalog_step_label(const struct catalog *c,
	const char *name, size_t len, struct step_label *out);

/* ---- platforms */

/* By its own name ("H20"); NULL. */
const struct platform *catalog_platform(const struct catalog *c,
	const char *name);
/* By the driver's name of a device ("NVIDIA H100 80GB HBM3"); NULL. */
const struct platform *catalog_device(const struct catalog *c,
	const char *device_name);
/* "switch", "mesh", "partial". */
const char *platform_topology_word(enum link_topology t);
uint32_t catalog_platforms(const struct catalog *c,
	const struct platform *const **all);

/* Whether the kernels of a family move data between devices and wait for each
 * other. False for NULL. */
static inline bool family_is_collective(const char *family)
{
	return family && strncmp(family, "collective", 10) == 0;
}
