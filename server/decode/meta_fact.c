/* meta_fact.c - the keys of a Kineto trace that tell what it was recorded with. */
#include "meta.h"

enum form { AS_IT_IS, CUDA, HIP };

/* What the profiler was asked to record costs time on the host. */
static const struct meta_fact {
	enum key key;
	const char *name; /* of the fact */
	enum form form;
} list[] = {
	{ KEY_CUDA_DRIVER, "cuda_driver", CUDA },
	{ KEY_CUDA_RUNTIME, "cuda_runtime", CUDA },
	{ KEY_CUPTI, "cupti", AS_IT_IS },
	{ KEY_HIP_DRIVER, "hip_driver", HIP },
	{ KEY_HIP_RUNTIME, "hip_runtime", HIP },
	{ KEY_ROCTRACER, "roctracer", AS_IT_IS },
	{ KEY_NCCL, "nccl", AS_IT_IS },
	{ KEY_RECORD_SHAPES, "record_shapes", AS_IT_IS },
	{ KEY_WITH_STACK, "with_stack", AS_IT_IS },
	{ KEY_WITH_FLOPS, "with_flops", AS_IT_IS },
	{ KEY_WITH_MODULES, "with_modules", AS_IT_IS },
	{ KEY_PROFILE_MEMORY, "profile_memory", AS_IT_IS },
};

static const struct meta_fact *find(enum key k)
{
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (list[i].key == k)
			return &list[i];
	return NULL;
}

bool meta_fact_key(enum key k)
{
	return k >= KEY_CUDA_DRIVER && k <= KEY_PROFILE_MEMORY;
}

/* A string, or the bytes of a number or word; null, a list or an object tells
 * nothing. */
static const char *scalar(struct scan *s, const char *p, struct span *text)
{
	*text = (struct span){ 0 };
	if (*p == '"')
		return scan_text(s, p, text);
	const char *q = scan_skip(s, p, true);
	if (q && !strchr("{[n", *p))
		*text = (struct span){ p, (uint32_t)(q - p), false };
	return q;
}

const char *meta_fact_value(struct meta *m, struct scan *s, const char *p,
	enum key k)
{
	const struct meta_fact *f = find(k);
	struct num n = { 0 };
	struct span text;
	bool ok = true;
	const char *q = scalar(s, p, &text);
	if (!q || !f || !text.len)
		return q;
	if (f->form != AS_IT_IS && !num_int(s, p, &n))
		return NULL;
	/* Less is no number of these forms, but the version itself. */
	if (f->form == CUDA && n.kind == NUM_OK && n.value >= 1000)
		ok = fact_list_cuda(&m->facts, f->name, n.value);
	else if (f->form == HIP && n.kind == NUM_OK && n.value >= 1000000)
		ok = fact_list_hip(&m->facts, f->name, n.value);
	else if (!text.escaped)
		ok = fact_list_put(&m->facts, f->name, text.at, text.len);
	return ok ? q : scan_stop(s, p);
}
