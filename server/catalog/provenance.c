/* provenance.c - reads files of TorchInductor that map kernels to nodes, and finds
 * the kernels of runs in them.
 *
 * A file is one of these JSON objects. A kernel's name may end with ":" and the
 * number of the call.
 *
 *   inductor_provenance_tracking_node_mappings.json
 *       {"cppCodeToPost": {"triton_poi_fused_mul_0:1": ["mul"], ...}, ...}
 *   inductor_provenance_tracking_kernel_stack_traces.json
 *       {"triton_poi_fused_mul_0:1": ["  File ...", ...], ...}
 *   kernel_information.json
 *       {"triton_poi_fused_mul_0:1": {"post_grad_nodes": ["mul"],
 *        "pre_grad_nodes": [...], "stack_traces": [...]}, ...}
 *
 * Their format is defined by pytorch/torch/_inductor/debug.py
 * (dump_inductor_provenance_info, create_kernel_information_json). Names before
 * autograd are those of variables in some versions, so they are not used. */
#include "provenance.h"
#include "names.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct provenance_reader {
	const char *label;
	struct err *err;
	json_t *kernels; /* name: {"nodes": {text: null}, "stacks": {...}} */
};

static bool provenance_fail(const struct provenance_reader *r, const char *what,
	const char *name)
{
	return err_set(r->err, ERR_INPUT, "%s: '%.80s' %s", r->label, name,
		what);
}

/* The kernel's name without the number of the call: ":12". */
static size_t provenance_name_len(const char *name)
{
	size_t len = strlen(name), end = len;
	while (end && name[end - 1] >= '0' && name[end - 1] <= '9')
		end--;
	return end > 1 && end < len && name[end - 1] == ':' ? end - 1 : len;
}

static json_t *provenance_kernel_of(struct provenance_reader *r,
	const char *name)
{
	size_t len = provenance_name_len(name);
	json_t *k = json_object_getn(r->kernels, name, len);
	if (!k) {
		k = json_pack("{s:{}, s:{}}", "nodes", "stacks");
		if (!k || json_object_setn_new(r->kernels, name, len, k))
			abort();
	}
	return k;
}

static bool provenance_texts_add(struct provenance_reader *r, const char *name,
	const char *key, json_t *texts)
{
	json_t *set = json_object_get(provenance_kernel_of(r, name), key), *v;
	size_t i;
	if (!json_is_array(texts))
		return provenance_fail(r, "has no list of texts", name);
	json_array_foreach(texts, i, v)
	{
		if (!json_is_string(v))
			return provenance_fail(r,
				"has a list with something that is no text",
				name);
		if (json_string_length(v) &&
			json_object_set_new(set, json_string_value(v),
				json_null()))
			abort();
	}
	return true;
}

static bool provenance_information(struct provenance_reader *r,
	const char *name, json_t *v)
{
	json_t *nodes = json_object_get(v, "post_grad_nodes"),
	       *stacks = json_object_get(v, "stack_traces");
	if (!nodes)
		return provenance_fail(r, "has no post_grad_nodes", name);
	return provenance_texts_add(r, name, "nodes", nodes) &&
	       (!stacks || provenance_texts_add(r, name, "stacks", stacks));
}

static bool provenance_document(struct provenance_reader *r, json_t *doc)
{
	json_t *mapped = json_object_get(doc, "cppCodeToPost"), *v;
	const char *name;
	if (!json_is_object(doc) || (mapped && !json_is_object(mapped)))
		return err_set(r->err, ERR_INPUT,
			"%s: this is not a provenance file of TorchInductor: "
			"%s is not an object",
			r->label, mapped ? "'cppCodeToPost'" : "it");
	json_object_foreach(mapped ? mapped : doc, name, v)
	{
		bool ok = mapped || json_is_array(v)
				  ? provenance_texts_add(r, name,
					    mapped ? "nodes" : "stacks", v)
			  : json_is_object(v)
				  ? provenance_information(r, name, v)
				  : provenance_fail(r,
					    "is neither a list nor an object "
					    "(this is not a provenance file of "
					    "TorchInductor)",
					    name);
		if (!ok)
			return false;
	}
	return true;
}

/* ---- the result */

static int provenance_by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct pattern_texts provenance_texts_from(json_t *set, size_t most,
	struct arena *a)
{
	size_t n = json_object_size(set);
	const char **list = arena_array(a, const char *, n + 1), *text;
	json_t *v;
	uint32_t k = 0;
	n = n < most ? n : most;
	json_object_foreach(set, text, v) if (list && k < n) list[k++] =
		arena_strdup(a, text);
	return (struct pattern_texts){ list, k };
}

/* "mul_3" is "mul"; sorted, each once. */
static struct pattern_texts provenance_operators_from(const struct pattern_texts
							      *nodes,
	struct arena *a)
{
	const char **list = arena_array(a, const char *, nodes->n + 1);
	uint32_t n = 0, kept = 0;
	for (uint32_t i = 0; list && i < nodes->n; i++) {
		const char *node = nodes->list[i];
		size_t len = strlen(node), end = len;
		while (end && node[end - 1] >= '0' && node[end - 1] <= '9')
			end--;
		bool numbered = end > 1 && end < len && node[end - 1] == '_';
		list[n++] = arena_strndup(a, node, numbered ? end - 1 : len);
	}
	if (n)
		qsort(list, n, sizeof *list, provenance_by_text);
	for (uint32_t i = 0; i < n; i++)
		if (!kept || strcmp(list[kept - 1], list[i]))
			list[kept++] = list[i];
	return (struct pattern_texts){ list, kept };
}

static int provenance_by_name(const void *a, const void *b)
{
	const struct provenance_kernel *x = a, *y = b;
	return strcmp(x->name, y->name);
}

static bool provenance_result(const struct provenance_reader *r,
	struct arena *a, struct provenance *out)
{
	const char *name;
	json_t *v;
	*out = (struct provenance){ arena_array(a, struct provenance_kernel,
					    json_object_size(r->kernels) + 1),
		0 };
	json_object_foreach(r->kernels, name, v)
	{
		json_t *stacks = json_object_get(v, "stacks");
		struct provenance_kernel k = {
			.name = arena_strdup(a, name),
			.nodes = provenance_texts_from(json_object_get(v,
							       "nodes"),
				SIZE_MAX, a),
			.stacks = provenance_texts_from(stacks,
				PATTERN_TEXTS_MAX, a),
			.stacks_n = (uint32_t)json_object_size(stacks),
		};
		if (a->full)
			return arena_err(a, r->err);
		if (k.nodes.n)
			qsort((void *)k.nodes.list, k.nodes.n,
				sizeof *k.nodes.list, provenance_by_text);
		k.operators = provenance_operators_from(&k.nodes, a);
		out->kernels[out->n++] = k;
	}
	if (!out->n)
		return err_set(r->err, ERR_INPUT, "%s: it names no kernel",
			r->label);
	qsort(out->kernels, out->n, sizeof *out->kernels, provenance_by_name);
	return a->full ? arena_err(a, r->err) : true;
}

static json_t *provenance_parse(const struct provenance_reader *r,
	const char *bytes, size_t len)
{
	json_error_t why;
	if (len > PROVENANCE_BYTES_MAX) {
		err_set(r->err, ERR_TOO_LARGE,
			"%s: it is larger than %d MiB, the maximum", r->label,
			PROVENANCE_BYTES_MAX >> 20);
		return NULL;
	}
	json_t *doc = json_loadb(bytes, len, JSON_REJECT_DUPLICATES, &why);
	if (doc)
		return doc;
	switch (json_error_code(&why)) {
	case json_error_duplicate_key:
		err_set(r->err, ERR_INPUT, "%s: line %d: a key is given twice",
			r->label, why.line);
		break;
	case json_error_stack_overflow:
		err_set(r->err, ERR_INPUT, "%s: line %d: it is nested too deep",
			r->label, why.line);
		break;
	default:
		err_set(r->err, ERR_INPUT, "%s: it is not JSON: line %d: %s",
			r->label, why.line, why.text);
	}
	return NULL;
}

bool provenance_read(const char *label, const char *bytes, size_t len,
	struct arena *a, struct provenance *out, struct err *e)
{
	struct provenance_reader r = { label, e, json_object() };
	json_t *doc = provenance_parse(&r, bytes, len), *each;
	bool ok = doc;
	size_t i;
	if (ok && json_is_array(doc)) {
		json_array_foreach(doc, i, each) ok =
			ok && provenance_document(&r, each);
	} else if (ok) {
		ok = provenance_document(&r, doc);
	}
	ok = ok && provenance_result(&r, a, out);
	json_decref(doc);
	json_decref(r.kernels);
	return ok;
}

/* ---- the kernels of runs */

static int provenance_match_by_name(const void *key, const void *of)
{
	const struct provenance_kernel *k = of;
	return strcmp(key, k->name);
}

/* Whether TorchInductor generated the kernel. */
static bool provenance_match_generated(const struct catalog *c,
	const char *name, struct arena *a)
{
	struct kernel_stem stem;
	return catalog_kernel_stem(c, name, a, &stem) && stem.text &&
	       stem.varies == NAME_NUMBER && !strcmp(stem.of, "TorchInductor");
}

static bool provenance_match_run(const struct provenance *p,
	struct profile *run, struct arena *a)
{
	run->origins = arena_array(a, struct kernel_origin, run->kernels_n + 1);
	for (uint32_t i = 0; run->origins && i < run->kernels_n; i++) {
		/* ROCm adds ".kd" to the name of a kernel. */
		const char *name = run->kernels[i].name,
			   *end = strstr(name, ".kd");
		if (end && !end[3])
			name = arena_strndup(a, name, (size_t)(end - name));
		const struct provenance_kernel *of =
			name ? bsearch(name, p->kernels, p->n,
				       sizeof *p->kernels,
				       provenance_match_by_name)
			     : NULL;
		if (of)
			run->origins[run->origins_n++] =
				(struct kernel_origin){ i, of };
	}
	return !a->full;
}

/* Counts the different generated kernels of all runs, and those of them that
 * have origins. */
static bool provenance_match_count(const struct catalog *c,
	const struct profile *runs, uint32_t n, struct arena *a, uint32_t *all,
	uint32_t *named)
{
	struct names seen;
	*all = *named = 0;
	if (!names_init(&seen, a))
		return false;
	for (uint32_t r = 0; r < n; r++)
		for (uint32_t i = 0, o = 0; i < runs[r].kernels_n; i++) {
			const char *name = runs[r].kernels[i].name;
			uint32_t before = seen.n;
			bool has = o < runs[r].origins_n &&
				   runs[r].origins[o].kernel == i;
			o += has;
			if (names_put(&seen, name, strlen(name)) == NAMES_NONE)
				return false;
			if (seen.n == before ||
				!provenance_match_generated(c, name, a))
				continue;
			++*all;
			*named += has;
		}
	return !a->full;
}

bool provenance_match(const struct provenance *p, const struct catalog *c,
	struct profile *runs, uint32_t n, struct arena *a, struct err *e)
{
	uint32_t all, named;
	for (uint32_t i = 0; i < n; i++)
		if (!provenance_match_run(p, &runs[i], a))
			return arena_err(a, e);
	if (!provenance_match_count(c, runs, n, a, &all, &named))
		return arena_err(a, e);
	if (!all)
		return err_set(e, ERR_TRACE,
			"a provenance file was sent, but TorchInductor "
			"generated no kernel of this trace; send the trace "
			"without it");
	return 2 * named >= all ||
	       err_set(e, ERR_TRACE,
		       "the provenance file is of another compilation: it "
		       "names %u of the %u kernels that TorchInductor generated "
		       "for this trace, and at least half are needed; send the "
		       "file of this compilation",
		       named, all);
}
