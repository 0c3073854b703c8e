/* range_operator.h - what the name of a range tells of the launches within it.
 *
 *   aten::mm, op_id = 3, sizes = [[4, 8], [8, 2]]   a host operator (nvtx_op.h)
 *   {'Module': 'model.norm', …}          a module's tensors (layer_text.h)
 *   rms_norm bf16 tokens=16 hidden=4096  an operator of the catalogue, a type if
 *	one is told, and sizes as shape.h writes them: for people's own ranges
 *   nn.Module: Qwen2RMSNorm_3            a module's class
 *   aten::mm                             a host operator, without sizes
 */
#pragma once
#include "attribution.h"
#include "layer_text.h"

enum range_tells {
	RANGE_TELLS_NOTHING,
	RANGE_TELLS_OPERATOR, /* and perhaps its sizes */
	RANGE_TELLS_LAYER,
	RANGE_TELLS_MODULE,
};

struct range_told {
	enum range_tells tells;
	const struct operator_info *operator; /* not of a layer */
	const struct shape *sizes; /* NULL not told */
};

struct range_reader {
	struct attribution *x;
	uint32_t *told_of; /* by name of the trace: place in told, from 1 */
	struct range_told *told;
	uint32_t told_n, told_cap;
	struct names sized; /* host operator, NUL, dims: struct shape */
	const struct shape **shapes; /* by id */
	uint32_t shapes_cap;
	struct arena *arena; /* scratch */
	bool noting; /* sizes that cannot be read */
};

bool range_reader_init(struct range_reader *r, struct attribution *x,
	struct arena *scratch);
/* What a row of the ranges tells; good until the next call. NULL where the
 * arena is full. */
const struct range_told *range_told(struct range_reader *r, uint32_t row);
/* The same of an annotation's name, an id of the trace's names. */
const struct range_told *range_told_name(struct range_reader *r, uint32_t name);

/* Whether a kernel's name says that it waits for others, and the range that it
 * does not, or the other way about. */
bool range_contradicted(const struct operator_info *is,
	const struct operator_info *by_rule);

/* The operator and sizes of a launch within a layer's range of that name, of
 * which the kernel's name alone says `by_rule` (NULL: nothing); NULL in
 * out->operator where the layer does not tell. False where the arena is full. */
bool range_layer(struct range_reader *r, uint32_t name,
	const struct operator_info *by_rule, struct range_told *out);
