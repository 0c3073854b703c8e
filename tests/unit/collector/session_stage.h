/* session_stage.h - a session with a library that records its calls; the test
 * acts as CUPTI. */
#pragma once
#include "fake_library.h"

/* A session and its objects; CUPTI is 13.0.1 unless a case changes it. */
struct stage {
	struct library library;
	struct layout layout;
	struct kernel_names *names;
	struct nodes *nodes;
	struct intake *intake;
	struct session_kinds kinds;
	struct session *session;
	char sentence[512];
};

static inline void stage_set(struct stage *t)
{
	fake_lib = (struct fake_lib){ .attribute = { [2] = 250, [9] = 1 } };
	*t = (struct stage){
		.library = fake_library(130001, 13000),
		.layout = { .version = 130001, .size = { [10] = 216 } },
		.kinds = { true, true, true, true, false },
	};
	t->names = names_new();
	t->nodes = nodes_new();
	t->intake = intake_new(&t->layout, t->names, 32 << 20);
	t->session = session_new(&t->library, t->intake, t->nodes, t->names,
		&t->kinds);
	assert_non_null(t->session);
}

/* The same with other kinds. */
static inline void stage_kinds(struct stage *t, struct session_kinds k)
{
	session_free(t->session);
	t->session =
		session_new(&t->library, t->intake, t->nodes, t->names, &k);
}

static inline void stage_open(struct stage *t)
{
	stage_set(t);
	assert_int_equal(session_open(t->session, t->sentence), SESSION_OPEN);
	*fake_lib.text = '\0';
}

static inline void stage_clear(struct stage *t)
{
	session_free(t->session);
	intake_free(t->intake);
	nodes_free(t->nodes);
	names_free(t->names);
}

/* CUPTI's actions: a call begins or ends, a buffer is requested and filled. */
static inline void call(CUpti_CallbackDomain domain, CUpti_CallbackId id,
	CUpti_ApiCallbackSite site)
{
	CUpti_CallbackData data = { .callbackSite = site };
	fake_lib.called(fake_lib.ctx, domain, id, &data);
}

static inline uint8_t *lend(size_t *size)
{
	uint8_t *buffer;
	size_t most = 1;
	fake_lib.request(&buffer, size, &most);
	assert_non_null(buffer);
	assert_int_equal(most, 0);
	return buffer;
}

static inline void give_back(uint8_t *buffer, size_t size, size_t valid)
{
	fake_lib.complete(NULL, 0, buffer, size, valid);
}

/* Compares the calls since the last check. */
static inline void assert_calls(const char *expect)
{
	assert_string_equal(fake_lib.text, expect);
	*fake_lib.text = '\0';
}

/* The calls of a window. */
#define PROFILER "+driver:308 +driver:309 +runtime:171 +runtime:172 "
#define EVENTS "+state:1 +resource:13 +resource:20 " PROFILER
#define SET_UP "threads:1 @5=1/1 @2=16/8 register "
#define HELLO "subscribe:kernsift " EVENTS SET_UP
#define UNLOADS "+resource:7 +resource:2 "
#define KINDS "+10 +1 +22 +2 +17 "
#define CALLS "+R60 +R123 +D30"
#define KINDS_OFF "-10 -1 -22 -2 -17 "
#define CALLS_OFF "-R60 -R123 -D30 "
#define BYE "flush:1 dropped @5=0/1 @2=250/8 threads:0 unsubscribe"

static inline void open_is(struct stage *t, enum session_end end,
	const char *sentence)
{
	strcpy(t->sentence, "left over");
	assert_int_equal(session_open(t->session, t->sentence), end);
	assert_string_equal(t->sentence, sentence);
}
