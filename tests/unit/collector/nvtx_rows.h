/* nvtx_rows.h - a program that uses NVTX, and its collector, in one process.
 *
 * The program calls NVTX through the real headers. Their loader finds the
 * injection library, which is linked into the test. The test replaces the
 * capture writer and receives the rows (tests/unit/collector/CMakeLists.txt
 * wraps the writer's functions). */
#pragma once
#include <stdint.h>
struct nvtxExtModuleInfo_t;
extern int (*InitializeInjectionNvtx2_fnptr)(const void *(*)(uint32_t));
extern int (*InitializeInjectionNvtxExtension_fnptr)(
	struct nvtxExtModuleInfo_t *);
#define NVTX_STATIC_INJECTION_IMPL
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>
#include "clock.h"
#include "nvtx.h"
#include "capture_writer.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

static int captured_attach(NvtxGetExportTableFunc_t get)
{
	return nvtx_attach((void *)(uintptr_t)get);
}

static int captured_attach_extension(nvtxExtModuleInfo_t *module)
{
	return nvtx_attach_extension(module);
}

NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr =
	captured_attach;
NvtxExtInitializeInjectionFunc_t InitializeInjectionNvtxExtension_fnptr =
	captured_attach_extension;

struct captured_row {
	struct kst_range row;
	char name[512], domain[64], payload[512], thread[16];
};

enum { ROWS_MOST = 1 << 18, TEXTS_MOST = 1 << 20 };
static struct {
	struct captured_row *rows;
	int n;
	char **texts; /* by id, which begins at 1 */
	int texts_n;
	int64_t marks, odd, cut;
} captured;

int64_t __wrap_capture_writer_text(struct capture_writer *s,
	enum capture_writer_text_kind kind, uint64_t key, const char *text,
	size_t len);
bool __wrap_capture_writer_row(struct capture_writer *s, enum kst_kind kind,
	const void *row);
void __wrap_capture_writer_note(struct capture_writer *s, const char *code,
	int64_t count, const char *detail);

int64_t __wrap_capture_writer_text(struct capture_writer *s,
	enum capture_writer_text_kind kind, uint64_t key, const char *text,
	size_t len)
{
	(void)s, (void)key;
	assert_true(kind == TEXT_NVTX || kind == TEXT_OWN);
	assert_true(captured.texts_n + 1 < TEXTS_MOST);
	if (!captured.texts)
		captured.texts = calloc(TEXTS_MOST, sizeof *captured.texts);
	captured.texts[++captured.texts_n] = strndup(text, len);
	return captured.texts_n;
}

static inline void captured_copy(char *to, size_t room, int64_t id)
{
	snprintf(to, room, "%s", id ? captured.texts[id] : "");
}

bool __wrap_capture_writer_row(struct capture_writer *s, enum kst_kind kind,
	const void *row)
{
	(void)s;
	assert_int_equal(kind, KST_range);
	assert_true(captured.n < ROWS_MOST);
	if (!captured.rows)
		captured.rows = calloc(ROWS_MOST, sizeof *captured.rows);
	struct captured_row *r = &captured.rows[captured.n++];
	r->row = *(const struct kst_range *)row;
	captured_copy(r->name, sizeof r->name, r->row.name);
	captured_copy(r->domain, sizeof r->domain, r->row.domain);
	captured_copy(r->payload, sizeof r->payload, r->row.payload);
	captured_copy(r->thread, sizeof r->thread, r->row.thread);
	return true;
}

void __wrap_capture_writer_note(struct capture_writer *s, const char *code,
	int64_t count, const char *detail)
{
	(void)s, (void)detail;
	int64_t *to = !strcmp(code, "nvtx_mark")      ? &captured.marks
		      : !strcmp(code, "nvtx_payload") ? &captured.odd
		      : !strcmp(code, "nvtx_cut")     ? &captured.cut
						      : NULL;
	assert_non_null(to);
	*to += count;
}

/* Removes all rows. */
static inline void captured_none(void)
{
	for (int i = 1; i <= captured.texts_n; i++)
		free(captured.texts[i]);
	captured.texts_n = captured.n = 0;
	captured.marks = captured.odd = captured.cut = 0;
}

/* The end of a window, and of a test. */
static inline void captured_close(void)
{
	nvtx_record(false);
	nvtx_drain(NULL, true);
}

static inline int captured_end(void **state)
{
	(void)state;
	nvtx_record(false);
	nvtx_drain(NULL, true);
	captured_none();
	free(captured.rows);
	free(captured.texts);
	memset(&captured, 0, sizeof captured);
	return 0;
}

/* Checks a row except for its times and its thread. */
static inline void captured_is(int at, int kind, const char *name,
	const char *domain, const char *payload)
{
	assert_true(at < captured.n);
	const struct captured_row *r = &captured.rows[at];
	assert_string_equal(r->name, name);
	assert_string_equal(r->domain, domain);
	assert_string_equal(r->payload, payload);
	assert_int_equal(r->row.kind, kind);
	assert_int_equal(r->row.id, -1);
	assert_int_equal(r->row.parent, -1);
	assert_true(r->row.dur_ns >= 0);
}

/* Makes an event in one line. */
static inline nvtxEventAttributes_t event(int32_t type, const void *message)
{
	nvtxEventAttributes_t a = { .version = NVTX_VERSION,
		.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
		.messageType = type };
	a.message.ascii = message;
	return a;
}
