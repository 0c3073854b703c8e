/* nvtx_op.h - the names that PyTorch's emit_nvtx gives to operators.
 *
 *   aten::mm, seq = 5, op_id = 871, sizes = [[4, 256], [256, 8]], input_op_ids
 *   = [(867,0), (870,0)]
 *
 * Each part behind the name may be absent; older ones have no op_id. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct nvtx_op {
	size_t name_len; /* of the text in front */
	const char *sizes; /* "[[4, 256], [256, 8]]"; NULL not told, or not
		whole */
	size_t sizes_len;
};

/* False where no such part follows a name. */
bool nvtx_op_read(const char *text, struct nvtx_op *out);
