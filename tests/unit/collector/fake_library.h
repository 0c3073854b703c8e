/* fake_library.h - a struct library that records its calls.
 *
 * Each call adds a word to fake_lib.text. fake_lib.refusals lists the words
 * that return an error. names_of[] has the names of the calls. */
#pragma once
#include "session.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct refusal {
	const char *word; /* a '*' at the end matches any rest */
	CUptiResult result;
};

static struct fake_lib {
	char text[8192];
	const struct refusal *refusals; /* the last one has no word */
	const char *holder;
	size_t lost;
	uint64_t attribute[10];
	CUpti_CallbackFunc called;
	void *ctx;
	CUpti_BuffersCallbackRequestFunc request;
	CUpti_BuffersCallbackCompleteFunc complete;
	void (*in_flush)(void);
} fake_lib;

static bool matches(const char *pattern, const char *word)
{
	size_t n = strcspn(pattern, "*");
	return strncmp(pattern, word, n) == 0 &&
	       (pattern[n] == '*' || word[n] == '\0');
}

__attribute__((format(printf, 1, 2))) static CUptiResult tell(const char
								      *format,
	...)
{
	char word[64];
	size_t at = strlen(fake_lib.text);
	va_list args;
	va_start(args, format);
	vsnprintf(word, sizeof word, format, args);
	va_end(args);
	snprintf(fake_lib.text + at, sizeof fake_lib.text - at, "%s%s",
		at ? " " : "", word);
	for (const struct refusal *r = fake_lib.refusals; r && r->word; r++)
		if (matches(r->word, word))
			return r->result;
	return CUPTI_SUCCESS;
}

static CUptiResult fake_library_version(uint32_t *version)
{
	*version = 0;
	return tell("version");
}

static CUptiResult fake_library_result(CUptiResult result, const char **text)
{
	static char word[32];
	snprintf(word, sizeof word, "CUPTI_ERROR_%d", (int)result);
	*text = word;
	return CUPTI_SUCCESS;
}

static CUptiResult fake_library_subscribe(CUpti_SubscriberHandle *s,
	CUpti_CallbackFunc f, void *ctx)
{
	fake_lib.called = f;
	fake_lib.ctx = ctx;
	*s = (CUpti_SubscriberHandle)&fake_lib;
	return tell("subscribe");
}

static CUptiResult fake_library_subscribe_v2(CUpti_SubscriberHandle *s,
	CUpti_CallbackFunc f, void *ctx, CUpti_SubscriberParams *p)
{
	fake_lib.called = f;
	fake_lib.ctx = ctx;
	*s = (CUpti_SubscriberHandle)&fake_lib;
	if (fake_lib.holder)
		snprintf(p->oldSubscriberName, p->oldSubscriberSize, "%s",
			fake_lib.holder);
	return tell("subscribe:%s", p->subscriberName);
}

static CUptiResult fake_library_unsubscribe(CUpti_SubscriberHandle s)
{
	assert_ptr_equal(s, &fake_lib);
	return tell("unsubscribe");
}

static CUptiResult fake_library_callback(uint32_t on, CUpti_SubscriberHandle s,
	CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	static const char *const domains[] = { "", "driver", "runtime",
		"resource", "", "", "state" };
	assert_ptr_equal(s, &fake_lib);
	return tell("%c%s:%u", on ? '+' : '-', domains[domain], id);
}

static CUptiResult fake_library_register(CUpti_BuffersCallbackRequestFunc
						 request,
	CUpti_BuffersCallbackCompleteFunc complete)
{
	fake_lib.request = request;
	fake_lib.complete = complete;
	return tell("register");
}

static CUptiResult fake_library_enable(CUpti_ActivityKind kind)
{
	return tell("+%d", (int)kind);
}

static CUptiResult fake_library_disable(CUpti_ActivityKind kind)
{
	return tell("-%d", (int)kind);
}

static CUptiResult fake_library_flush(uint32_t flags)
{
	if (fake_lib.in_flush)
		fake_lib.in_flush();
	return tell("flush:%u", flags);
}

static CUptiResult fake_library_dropped(CUcontext context, uint32_t stream,
	size_t *n)
{
	assert_null(context);
	assert_int_equal(stream, 0);
	*n = fake_lib.lost;
	fake_lib.lost = 0;
	return tell("dropped");
}

static CUptiResult fake_library_set(CUpti_ActivityAttribute a, size_t *size,
	void *v)
{
	CUptiResult r;
	uint64_t value = 0;
	memcpy(&value, v, *size);
	r = tell("@%d=%llu/%zu", (int)a, (unsigned long long)value, *size);
	if (r == CUPTI_SUCCESS)
		fake_lib.attribute[a] = value;
	return r;
}

static CUptiResult fake_library_get(CUpti_ActivityAttribute a, size_t *size,
	void *v)
{
	memcpy(v, &fake_lib.attribute[a], *size);
	return CUPTI_SUCCESS;
}

static CUptiResult fake_library_threads(CUpti_ActivityThreadIdType type)
{
	return tell("threads:%d", (int)type);
}

static CUptiResult fake_library_runtime_call(CUpti_CallbackId id, uint8_t on)
{
	return tell("%cR%u", on ? '+' : '-', id);
}

static CUptiResult fake_library_driver_call(CUpti_CallbackId id, uint8_t on)
{
	return tell("%cD%u", on ? '+' : '-', id);
}

/* Three that launch, one on the host, one after a gap that is too large. */
static const struct {
	CUpti_CallbackDomain domain;
	uint32_t id;
	const char *name;
} names_of[] = {
	{ CUPTI_CB_DOMAIN_DRIVER_API, 4, "cuMemAlloc_v2" },
	{ CUPTI_CB_DOMAIN_DRIVER_API, 30, "cuLaunchKernelEx" },
	{ CUPTI_CB_DOMAIN_RUNTIME_API, 1, "cudaMalloc_v3020" },
	{ CUPTI_CB_DOMAIN_RUNTIME_API, 5, "cudaLaunchHostFunc_v10000" },
	{ CUPTI_CB_DOMAIN_RUNTIME_API, 60, "__cudaLaunchKernel_v13000" },
	{ CUPTI_CB_DOMAIN_RUNTIME_API, 123, "cudaGraphLaunch_v10000" },
	{ CUPTI_CB_DOMAIN_RUNTIME_API, 187, "cudaLaunchTooFar_v99999" },
};

static CUptiResult fake_library_name(CUpti_CallbackDomain domain, uint32_t id,
	const char **name)
{
	for (size_t i = 0; i < sizeof names_of / sizeof *names_of; i++)
		if (names_of[i].domain == domain && names_of[i].id == id) {
			*name = names_of[i].name;
			return CUPTI_SUCCESS;
		}
	return CUPTI_ERROR_INVALID_PARAMETER;
}

/* The id of a node is its address. */
static CUptiResult fake_library_node(CUgraphNode node, uint64_t *id)
{
	*id = (uint64_t)(uintptr_t)node;
	return CUPTI_SUCCESS;
}

static struct library fake_library(uint32_t version, uint32_t driver)
{
	struct library l = {
		.version = version,
		.driver = driver,
		.get_version = fake_library_version,
		.result_string = fake_library_result,
		.subscribe = fake_library_subscribe,
		.subscribe_v2 = fake_library_subscribe_v2,
		.unsubscribe = fake_library_unsubscribe,
		.callback = fake_library_callback,
		.register_calls = fake_library_register,
		.enable = fake_library_enable,
		.disable = fake_library_disable,
		.flush_all = fake_library_flush,
		.dropped = fake_library_dropped,
		.set_attribute = fake_library_set,
		.get_attribute = fake_library_get,
		.thread_ids = fake_library_threads,
		.runtime_call = fake_library_runtime_call,
		.driver_call = fake_library_driver_call,
		.callback_name = fake_library_name,
		.graph_node_id = fake_library_node,
	};
	return l;
}
