/* fake_library.h - a struct library that writes down what it is asked.
 *
 * Each call becomes a word of told.text; told.refusals says which words are
 * answered with an error. Names of calls: what names_of[] has. */
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
	const char *word; /* a '*' at the end stands for the rest */
	CUptiResult result;
};

static struct told {
	char text[8192];
	const struct refusal *refusals; /* up to one without word */
	const char *holder;
	size_t lost;
	uint64_t attribute[10];
	CUpti_CallbackFunc called;
	void *ctx;
	CUpti_BuffersCallbackRequestFunc request;
	CUpti_BuffersCallbackCompleteFunc complete;
	void (*in_flush)(void);
} told;

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
	size_t at = strlen(told.text);
	va_list args;
	va_start(args, format);
	vsnprintf(word, sizeof word, format, args);
	va_end(args);
	snprintf(told.text + at, sizeof told.text - at, "%s%s", at ? " " : "",
		word);
	for (const struct refusal *r = told.refusals; r && r->word; r++)
		if (matches(r->word, word))
			return r->result;
	return CUPTI_SUCCESS;
}

static CUptiResult told_version(uint32_t *version)
{
	*version = 0;
	return tell("version");
}

static CUptiResult told_result(CUptiResult result, const char **text)
{
	static char word[32];
	snprintf(word, sizeof word, "CUPTI_ERROR_%d", (int)result);
	*text = word;
	return CUPTI_SUCCESS;
}

static CUptiResult told_subscribe(CUpti_SubscriberHandle *s,
	CUpti_CallbackFunc f, void *ctx)
{
	told.called = f;
	told.ctx = ctx;
	*s = (CUpti_SubscriberHandle)&told;
	return tell("subscribe");
}

static CUptiResult told_subscribe_v2(CUpti_SubscriberHandle *s,
	CUpti_CallbackFunc f, void *ctx, CUpti_SubscriberParams *p)
{
	told.called = f;
	told.ctx = ctx;
	*s = (CUpti_SubscriberHandle)&told;
	if (told.holder)
		snprintf(p->oldSubscriberName, p->oldSubscriberSize, "%s",
			told.holder);
	return tell("subscribe:%s", p->subscriberName);
}

static CUptiResult told_unsubscribe(CUpti_SubscriberHandle s)
{
	assert_ptr_equal(s, &told);
	return tell("unsubscribe");
}

static CUptiResult told_callback(uint32_t on, CUpti_SubscriberHandle s,
	CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	static const char *const domains[] = { "", "driver", "runtime",
		"resource", "", "", "state" };
	assert_ptr_equal(s, &told);
	return tell("%c%s:%u", on ? '+' : '-', domains[domain], id);
}

static CUptiResult told_register(CUpti_BuffersCallbackRequestFunc request,
	CUpti_BuffersCallbackCompleteFunc complete)
{
	told.request = request;
	told.complete = complete;
	return tell("register");
}

static CUptiResult told_enable(CUpti_ActivityKind kind)
{
	return tell("+%d", (int)kind);
}

static CUptiResult told_disable(CUpti_ActivityKind kind)
{
	return tell("-%d", (int)kind);
}

static CUptiResult told_flush(uint32_t flags)
{
	if (told.in_flush)
		told.in_flush();
	return tell("flush:%u", flags);
}

static CUptiResult told_dropped(CUcontext context, uint32_t stream, size_t *n)
{
	assert_null(context);
	assert_int_equal(stream, 0);
	*n = told.lost;
	told.lost = 0;
	return tell("dropped");
}

static CUptiResult told_set(CUpti_ActivityAttribute a, size_t *size, void *v)
{
	CUptiResult r;
	uint64_t value = 0;
	memcpy(&value, v, *size);
	r = tell("@%d=%llu/%zu", (int)a, (unsigned long long)value, *size);
	if (r == CUPTI_SUCCESS)
		told.attribute[a] = value;
	return r;
}

static CUptiResult told_get(CUpti_ActivityAttribute a, size_t *size, void *v)
{
	memcpy(v, &told.attribute[a], *size);
	return CUPTI_SUCCESS;
}

static CUptiResult told_threads(CUpti_ActivityThreadIdType type)
{
	return tell("threads:%d", (int)type);
}

static CUptiResult told_runtime_call(CUpti_CallbackId id, uint8_t on)
{
	return tell("%cR%u", on ? '+' : '-', id);
}

static CUptiResult told_driver_call(CUpti_CallbackId id, uint8_t on)
{
	return tell("%cD%u", on ? '+' : '-', id);
}

/* Three that launch, one on the host, one behind too large a gap. */
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

static CUptiResult told_name(CUpti_CallbackDomain domain, uint32_t id,
	const char **name)
{
	for (size_t i = 0; i < sizeof names_of / sizeof *names_of; i++)
		if (names_of[i].domain == domain && names_of[i].id == id) {
			*name = names_of[i].name;
			return CUPTI_SUCCESS;
		}
	return CUPTI_ERROR_INVALID_PARAMETER;
}

/* A node's id is its address. */
static CUptiResult told_node(CUgraphNode node, uint64_t *id)
{
	*id = (uint64_t)(uintptr_t)node;
	return CUPTI_SUCCESS;
}

static struct library told_library(uint32_t version, uint32_t driver)
{
	struct library l = {
		.version = version,
		.driver = driver,
		.get_version = told_version,
		.result_string = told_result,
		.subscribe = told_subscribe,
		.subscribe_v2 = told_subscribe_v2,
		.unsubscribe = told_unsubscribe,
		.callback = told_callback,
		.register_calls = told_register,
		.enable = told_enable,
		.disable = told_disable,
		.flush_all = told_flush,
		.dropped = told_dropped,
		.set_attribute = told_set,
		.get_attribute = told_get,
		.thread_ids = told_threads,
		.runtime_call = told_runtime_call,
		.driver_call = told_driver_call,
		.callback_name = told_name,
		.graph_node_id = told_node,
	};
	return l;
}
