/* cycle_serving.h - what serving engines write into the names of their steps.
 *
 *   execute_context_2(512)_generation_16(16)      vLLM: requests and tokens of
 *   execute_context_1(888_788544)_generation_0(0)   both phases
 *   execute_16_context_0(sq0sk0…)_generation_16(sq16sk8209…)   the same with
 *	what is asked (sq) and what is attended to (sk), summed
 *   step[DECODE bs=16], step[EXTEND bs=15 toks=15360]   SGLang
 *   … 2 ctx reqs, 512 ctx tokens, 16 gen reqs     TensorRT-LLM; without the
 *	middle, tokens are unknown */
#pragma once
#include "cycles.h"

struct serving {
	enum phase phase;
	int64_t sequences, tokens, kv_tokens; /* of both phases; -1 unknown */
	int64_t context, context_tokens; /* of prefill alone; -1 unknown */
};

/* Whether a name tells of a step's work. */
bool serving_read(const char *name, struct serving *s);

/* Whether two steps do the same work, however much they attend to. */
bool serving_same(const struct serving *a, const struct serving *b);
