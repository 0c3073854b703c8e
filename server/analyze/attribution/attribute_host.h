/* attribute_host.h - the host's operators: what was open at each call, what
 * the catalogue knows of it, and the shapes their dims tell.
 *
 * Operators lie within one another on a thread. Each knows the innermost one
 * around it (itself included) that the catalogue knows, so that a lookup takes
 * one step. About 16 bytes an operator while it is there. */
#pragma once
#include "attribution.h"
#include "ids.h"
#include "input_shape.h"

enum { HOST_NONE = UINT32_MAX };

struct host {
	const struct attribution *at;
	const struct op_rows *op;
	const struct operator_info **of_name; /* by name of the trace */
	uint8_t *asked; /* likewise: whether of_name is there */
	uint32_t *top; /* by thread; row + 1 */
	uint32_t *below; /* by row of the slice; row + 1 of what it lies in */
	uint32_t *known; /* likewise: of the innermost known */
	uint32_t *open; /* by call: row + 1 of what was open */
	uint32_t *call; /* by row of the slice: number + 1 of its call */
	struct names keys; /* dims and the like that stand for a shape */
	const struct shape **shapes; /* by key */
	uint32_t shapes_cap;
	struct sizes sizes;
	struct ids ids;
	bool by_id; /* External ids tell operators */
};

/* False where the arena is full; release in any case. */
bool host_init(struct host *h, const struct attribution *at);
void host_release(struct host *h);

/* The innermost operator's row of a call (CORRELATION_NONE: none) or else of
 * an External id; HOST_NONE. */
uint32_t host_innermost(const struct host *h, uint32_t call,
	int64_t external_id);
/* The innermost one from there on outwards that the catalogue knows; HOST_NONE. */
uint32_t host_known(const struct host *h, uint32_t row);
/* What an operator stands for; NULL. */
const struct operator_info *host_operator(struct host *h, uint32_t row);

/* The shape of an operator that stands for `is`: its own dims', or of one
 * around it that stands for the same and tells dims; *out is NULL where they do
 * not tell. False where the arena is full. */
bool host_shape(struct host *h, uint32_t row, const struct operator_info *is,
	const struct shape **out);
