/* profile_word.h - the text for each value of a profile's enums, used in
 * database rows, API answers and sentences. The CHECK constraints of the
 * database list these words. */
#pragma once
#include "profile.h"

static const char *const profile_word_content[] = {
	[CONTENT_LAUNCHES] = "launches",
	[CONTENT_STATISTICS] = "statistics",
	[CONTENT_PATTERNS] = "patterns",
	[CONTENT_DURATIONS] = "durations",
};
enum { CONTENTS = sizeof profile_word_content / sizeof *profile_word_content };

static const char *const profile_word_frame[] = {
	[FRAME_ANNOTATION] = "annotation",
	[FRAME_MODULE] = "module",
	[FRAME_PYTHON] = "python",
	[FRAME_OP] = "op",
};
enum { FRAME_KINDS = sizeof profile_word_frame / sizeof *profile_word_frame };

static const char *const profile_word_known[] = {
	[CALLER_PATH] = "path",
	[CALLER_NO_RANGE] = "no_range",
	[CALLER_NO_CALL] = "no_call",
};
enum { CALLER_KNOWNS = sizeof profile_word_known / sizeof *profile_word_known };

static const char *const profile_word_detector[] = {
	[ITERATIONS_NONE] = "none",
	[ITERATIONS_ANNOTATION] = "annotation",
	[ITERATIONS_PERIOD] = "period",
	[ITERATIONS_WINDOW] = "window",
	[ITERATIONS_GIVEN] = "given",
	[ITERATIONS_NAMED] = "named",
};
enum {
	ITERATION_DETECTORS =
		sizeof profile_word_detector / sizeof *profile_word_detector
};

static const char *const profile_word_use[] = {
	[ITERATION_KEPT] = "kept",
	[ITERATION_WARMUP] = "warmup",
	[ITERATION_PARTIAL] = "partial",
};
enum { ITERATION_USES = sizeof profile_word_use / sizeof *profile_word_use };

static const char *const profile_word_busy[] = {
	[BUSY_COMPUTE_BOUND] = "compute_bound",
	[BUSY_MEMORY_BOUND] = "memory_bound",
	[BUSY_NO_BOUND] = "no_bound",
	[BUSY_LAUNCH_FLOOR] = "launch_floor",
	[BUSY_EXPOSED_COMM] = "exposed_communication",
	[BUSY_COPY] = "copies",
};

static const char *const profile_word_wait[] = {
	[WAIT_SYNCHRONIZATION] = "synchronization",
	[WAIT_COPY] = "copy_wait",
	[WAIT_HOST_GAP] = "host_gap",
	[WAIT_LAUNCH] = "launch_bound",
	[WAIT_GRAPH] = "graph_launch",
	[WAIT_STREAM] = "stream_dependency",
	[WAIT_UNKNOWN] = "unknown",
};

/* For people. */
static const char *const profile_word_wait_text[] = {
	[WAIT_SYNCHRONIZATION] = "synchronizing calls",
	[WAIT_COPY] = "blocking copies",
	[WAIT_HOST_GAP] = "host gaps",
	[WAIT_LAUNCH] = "launch calls",
	[WAIT_GRAPH] = "gaps in graph launches",
	[WAIT_STREAM] = "waits for another stream",
	[WAIT_UNKNOWN] = "unknown causes",
};

static const char *const profile_word_wait_kind[] = {
	[WAIT_KIND_ANNOTATION] = "annotation",
	[WAIT_KIND_MODULE] = "module",
	[WAIT_KIND_PYTHON] = "python",
	[WAIT_KIND_OP] = "op",
	[WAIT_KIND_CALL] = "call",
};

static const char *const profile_word_phase[] = {
	[PHASE_UNKNOWN] = NULL,
	[PHASE_PREFILL] = "prefill",
	[PHASE_DECODE] = "decode",
	[PHASE_MIXED] = "mixed",
};
enum { PHASES = sizeof profile_word_phase / sizeof *profile_word_phase };

static const char *const profile_word_graph_source[] = {
	[GRAPH_SOURCE_RUN] = "run",
	[GRAPH_SOURCE_UPLOAD] = "upload",
	[GRAPH_SOURCE_OTHER] = "other",
	[GRAPH_SOURCE_NONE] = NULL,
};

#define GRAPH_REASON(code, word, text) [GRAPH_REASON_##code] = #word,
static const char *const profile_word_graph_reason[] = {
#include "graph_reason.def"
	[GRAPH_REASON_NONE] = NULL,
};
#undef GRAPH_REASON

static const char *const profile_word_work[] = {
	[WORK_OP] = "op",
	[WORK_GRID] = "grid",
};
enum { WORK_KINDS = sizeof profile_word_work / sizeof *profile_word_work };

static const char *const profile_word_function[] = {
#define FUNCTION_TYPE(code, word, where, what) [FUNCTION_##code] = (word),
#include "function_type.def"
#undef FUNCTION_TYPE
};

static const char *const profile_word_exchange[] = {
#define EXCHANGE_FAULT(code, word, text) [EXCHANGE_##code] = #word,
#include "collective.def"
#undef EXCHANGE_FAULT
};

static const char *const profile_word_collective[] = {
	[COLLECTIVE_UNKNOWN] = NULL,
#define COLLECTIVE(code, word, elements, busbw, what) \
	[COLLECTIVE_##code] = #word,
#include "collective.def"
#undef COLLECTIVE
};

static const char *const profile_word_split[] = {
	[COLLECTIVE_SPLIT_UNKNOWN] = NULL,
	[COLLECTIVE_SPLIT_EVEN] = "even",
	[COLLECTIVE_SPLIT_UNEVEN] = "uneven",
};
enum {
	COLLECTIVE_SPLITS =
		sizeof profile_word_split / sizeof *profile_word_split
};

static const char *const profile_word_how[] = {
#define KNOWN(code, word, what) [KNOWN_##code] = #word,
#include "known.def"
#undef KNOWN
};

static const char *const profile_word_consumers[] = {
	[CONSUMERS_UNKNOWN] = "unknown",
	[CONSUMERS_SECOND] = "second",
	[CONSUMERS_OTHERS] = "others",
};

static const char *const profile_word_leg[] = {
	[LEG_NONE] = NULL,
	[LEG_COMPUTE] = "compute",
	[LEG_MEMORY] = "memory",
	[LEG_LINK] = "link",
};
enum { LEGS = sizeof profile_word_leg / sizeof *profile_word_leg };
