/* nvtx.c - the NVTX injection: attaches to clients, handles their calls, and
 * serves the rest of the collector.
 *
 * The functions below replace NVTX's empty functions. Names of threads,
 * categories, streams and resources are ignored. A row contains its thread's
 * number, as launches do, because the two are joined by it. There is no column
 * for the other names. */
#include "nvtx.h"
#include "clock.h"
#include "nvtx_domain.h"
#include "nvtx_headers.h"
#include "nvtx_json.h"
#include "nvtx_loose.h"
#include "nvtx_payload.h"
#include "nvtx_state.h"
#include <string.h>

/* The number of a domain, from the handle that a program passes. */
static uint16_t nvtx_domain_of(const void *handle)
{
	uintptr_t i = (uintptr_t)handle;
	return i < NVTX_DOMAINS ? (uint16_t)i : 0;
}

/* One form for the arguments of all NVTX calls. */
struct nvtx_call {
	uint16_t domain; /* nvtx_domain.h */
	int32_t message_type; /* nvtxMessageType_t */
	const void *message;
	int32_t payload_type; /* nvtxPayloadType_t, NVTX_PAYLOAD_TYPE_EXT */
	const void *payload; /* the number, or nvtxPayloadData_t */
	size_t payloads; /* number of nvtxPayloadData_t */
};

enum { BLOBS_MOST = 16 };

/* `a` may be NULL. It may have an older version with fewer fields. */
static struct nvtx_call nvtx_call_of(uint16_t domain,
	const nvtxEventAttributes_t *a)
{
	struct nvtx_call c = { .domain = domain };
	if (!a || a->size < sizeof *a)
		return c;
	c.message_type = a->messageType;
	c.message = a->message.ascii;
	c.payload_type = a->payloadType;
	c.payload = &a->payload;
	if (a->payloadType == NVTX_PAYLOAD_TYPE_EXT) {
		c.payload = (const void *)(uintptr_t)a->payload.ullValue;
		c.payloads = (size_t)a->reserved0;
	}
	return c;
}

/* Finds the text of a call, in the program's memory or converted into
 * `room`. */
static void nvtx_say(struct nvtx_label *s, const struct nvtx_call *c,
	char room[static NVTX_TEXT_MOST])
{
	s->text = "";
	if (!c->message)
		return;
	if (c->message_type == NVTX_MESSAGE_TYPE_ASCII) {
		s->text = c->message;
		s->len = strnlen(s->text, NVTX_TEXT_MOST);
		if (s->len == NVTX_TEXT_MOST)
			s->len = nvtx_utf8_clip(s->text, s->len);
	} else if (c->message_type == NVTX_MESSAGE_TYPE_UNICODE) {
		s->text = room;
		s->len = nvtx_utf8_from(room, NVTX_TEXT_MOST, c->message);
	} else if (c->message_type == NVTX_MESSAGE_TYPE_REGISTERED &&
		   (uintptr_t)c->message < NVTX_TEXTS_MAX) {
		s->id = (uint32_t)(uintptr_t)c->message;
	}
}

/* Writes the payload of a call and returns its length. If the payload contains
 * the range's text, it becomes the text in `label`. */
static size_t nvtx_write_payload(struct nvtx_state *w,
	const struct nvtx_call *c, char room[static NVTX_PAYLOAD_MOST],
	struct nvtx_label *label)
{
	struct nvtx_json j = { .at = room, .room = NVTX_PAYLOAD_MOST };
	if (c->payload_type != NVTX_PAYLOAD_TYPE_EXT)
		return nvtx_payload_number(&j, c->payload_type, c->payload)
			       ? j.len
			       : 0;
	if (!c->payload || c->payloads == 0)
		return 0;
	struct nvtx_payload p = { .schemas = w->schemas,
		.texts = w->texts,
		.domain = c->domain,
		.blobs = c->payload,
		.blobs_n = c->payloads < BLOBS_MOST ? c->payloads : BLOBS_MOST,
		.json = j,
		.odd = c->payloads > BLOBS_MOST };
	nvtx_payload_put(&p);
	if (p.odd)
		nvtx_count(&w->odd, p.odd);
	if (p.message && label && !label->id && !label->len) {
		label->text = p.message;
		label->len = p.message_len < NVTX_TEXT_MOST ? p.message_len
							    : NVTX_TEXT_MOST;
	}
	return p.json.len;
}

static int nvtx_range_push(const struct nvtx_call *c)
{
	struct nvtx_state *w = nvtx_state();
	struct nvtx_thread *t = nvtx_state_thread(w);
	struct nvtx_label label = { .domain = c->domain };
	enum nvtx_mode mode = nvtx_mode(w);
	bool recording = mode == NVTX_RECORD, lost = !t;
	int level = -1;

	if (t) {
		/* A range that begins after the window's start is known to be
		 * inside the window. */
		int64_t start_ns = mode == NVTX_OFF ? 0 : clock_real_ns();
		nvtx_say(&label, c, t->text);
		if (recording && c->payload_type)
			label.payload_len =
				nvtx_write_payload(w, c, t->payload, &label);
		level = nvtx_thread_push(t, &label, start_ns, &lost);
	}
	if (lost && recording)
		nvtx_count(&w->lost, 1);
	return level;
}

static void nvtx_wake(struct nvtx_state *w)
{
	nvtx_wake_fn *f = atomic_load_explicit(&w->wake, memory_order_acquire);
	if (f)
		f(atomic_load_explicit(&w->wake_ctx, memory_order_relaxed));
}

static void nvtx_tell(struct nvtx_state *w, struct nvtx_thread *t,
	const struct nvtx_event *e, const _Atomic uint64_t *body)
{
	struct nvtx_ring *r =
		atomic_load_explicit(&t->ring, memory_order_relaxed);
	bool half = false;
	if (!r)
		r = nvtx_state_ring(w, t);
	if (!r || !nvtx_ring_put(r, e, body, &half))
		nvtx_count(&w->lost, 1);
	if (half)
		nvtx_wake(w);
}

/* Uses only the domain and the payload of the call. The payload becomes the
 * range's payload if the range began without one. */
static int nvtx_range_pop(const struct nvtx_call *c)
{
	struct nvtx_state *w = nvtx_state();
	struct nvtx_thread *t = nvtx_state_thread(w);
	enum nvtx_mode mode = nvtx_mode(w);
	struct nvtx_open o;

	if (!t)
		return -1;
	if (c->payload_type && mode == NVTX_RECORD)
		nvtx_thread_add(t, c->domain,
			nvtx_write_payload(w, c, t->payload, NULL));
	enum nvtx_popped popped = nvtx_thread_pop(t, c->domain, &o);
	if (popped != NVTX_POPPED)
		return popped == NVTX_NONE_OPEN ? -1 : NVTX_FRAMES;
	if (o.start_ns == 0 && (mode == NVTX_OFF || o.lost)) {
		if (mode == NVTX_RECORD)
			nvtx_count(&w->lost, 1);
		return o.level;
	}
	if (!o.lost) {
		size_t kept = o.text ? nvtx_words(o.text_len) : 0;
		struct nvtx_event e = { .start_ns = o.start_ns,
			.end_ns = clock_real_ns(),
			.text = o.text,
			.domain = o.domain,
			.place = o.place,
			.text_len = o.text ? 0 : o.text_len,
			.payload_len = o.payload_len,
			.thread = atomic_load_explicit(&t->tid,
				memory_order_relaxed) };
		nvtx_tell(w, t, &e, t->words + o.at + kept);
	}
	return o.level;
}

/* A start of 0 outside windows: the range is then not recorded, whenever it
 * ends. */
static nvtxRangeId_t nvtx_range_start(const struct nvtx_call *c)
{
	struct nvtx_state *w = nvtx_state();
	struct nvtx_thread *t = nvtx_state_thread(w);
	struct nvtx_label label = { .domain = c->domain };
	bool cut = false;
	nvtxRangeId_t id = 0;

	if (nvtx_mode(w) != NVTX_RECORD)
		return 0;
	if (t) {
		int64_t start_ns = clock_real_ns();
		nvtx_say(&label, c, t->text);
		if (c->payload_type)
			label.payload_len =
				nvtx_write_payload(w, c, t->payload, &label);
		if (label.len > NVTX_LOOSE_BYTES)
			label.id = nvtx_texts_put(w->texts,
				nvtx_domain_name(w, c->domain), label.text,
				label.len);
		id = nvtx_loose_start(w->loose, &label, t->payload,
			atomic_load_explicit(&t->tid, memory_order_relaxed),
			start_ns, &cut);
	}
	nvtx_count(&w->odd, cut);
	nvtx_count(&w->lost, id == 0);
	return id;
}

static void nvtx_range_end(nvtxRangeId_t id)
{
	struct nvtx_state *w = nvtx_state();
	_Atomic uint64_t body[NVTX_LOOSE_BYTES / 8];
	struct nvtx_event e;

	if (id == 0 || !nvtx_loose_end(w->loose, id, &e, body))
		return;
	struct nvtx_thread *t = nvtx_state_thread(w);
	e.end_ns = clock_real_ns();
	if (t)
		nvtx_tell(w, t, &e, body);
	else
		nvtx_count(&w->lost, 1);
}

static void nvtx_range_mark(void)
{
	struct nvtx_state *w = nvtx_state();
	if (nvtx_mode(w) == NVTX_RECORD)
		nvtx_count(&w->marks, 1);
}

/* A function that NVTX calls, with its index in NVTX's table. The last entry
 * of a list has no function. */
struct nvtx_slot {
	size_t at;
	NvtxFunctionPointer call;
};
#define CALL(at, call)                        \
	{                                     \
		at, (NvtxFunctionPointer)call \
	}

static struct nvtx_call nvtx_ascii(const char *message)
{
	return (struct nvtx_call){ .message_type = NVTX_MESSAGE_TYPE_ASCII,
		.message = message };
}

static struct nvtx_call nvtx_wide(const wchar_t *message)
{
	return (struct nvtx_call){ .message_type = NVTX_MESSAGE_TYPE_UNICODE,
		.message = message };
}

static void NVTX_API nvtx_mark_ex(const nvtxEventAttributes_t *a)
{
	(void)a;
	nvtx_range_mark();
}

static void NVTX_API nvtx_mark_a(const char *message)
{
	(void)message;
	nvtx_range_mark();
}

static void NVTX_API nvtx_mark_w(const wchar_t *message)
{
	(void)message;
	nvtx_range_mark();
}

static int NVTX_API nvtx_push_ex(const nvtxEventAttributes_t *a)
{
	struct nvtx_call c = nvtx_call_of(0, a);
	return nvtx_range_push(&c);
}

static int NVTX_API nvtx_push_a(const char *message)
{
	struct nvtx_call c = nvtx_ascii(message);
	return nvtx_range_push(&c);
}

static int NVTX_API nvtx_push_w(const wchar_t *message)
{
	struct nvtx_call c = nvtx_wide(message);
	return nvtx_range_push(&c);
}

static int NVTX_API nvtx_core_pop(void)
{
	static const struct nvtx_call c;
	return nvtx_range_pop(&c);
}

static nvtxRangeId_t NVTX_API nvtx_start_ex(const nvtxEventAttributes_t *a)
{
	struct nvtx_call c = nvtx_call_of(0, a);
	return nvtx_range_start(&c);
}

static nvtxRangeId_t NVTX_API nvtx_start_a(const char *message)
{
	struct nvtx_call c = nvtx_ascii(message);
	return nvtx_range_start(&c);
}

static nvtxRangeId_t NVTX_API nvtx_start_w(const wchar_t *message)
{
	struct nvtx_call c = nvtx_wide(message);
	return nvtx_range_start(&c);
}

static void NVTX_API nvtx_core_end(nvtxRangeId_t id)
{
	nvtx_range_end(id);
}

static const struct nvtx_slot nvtx_core_slots[] = {
	CALL(NVTX_CBID_CORE_MarkEx, nvtx_mark_ex),
	CALL(NVTX_CBID_CORE_MarkA, nvtx_mark_a),
	CALL(NVTX_CBID_CORE_MarkW, nvtx_mark_w),
	CALL(NVTX_CBID_CORE_RangeStartEx, nvtx_start_ex),
	CALL(NVTX_CBID_CORE_RangeStartA, nvtx_start_a),
	CALL(NVTX_CBID_CORE_RangeStartW, nvtx_start_w),
	CALL(NVTX_CBID_CORE_RangeEnd, nvtx_core_end),
	CALL(NVTX_CBID_CORE_RangePushEx, nvtx_push_ex),
	CALL(NVTX_CBID_CORE_RangePushA, nvtx_push_a),
	CALL(NVTX_CBID_CORE_RangePushW, nvtx_push_w),
	CALL(NVTX_CBID_CORE_RangePop, nvtx_core_pop),
	{ 0, NULL },
};

enum { NAME_MOST = 1024 };

static void NVTX_API nvtx_core2_mark(nvtxDomainHandle_t d,
	const nvtxEventAttributes_t *a)
{
	(void)d;
	(void)a;
	nvtx_range_mark();
}

static int NVTX_API nvtx_core2_push(nvtxDomainHandle_t d,
	const nvtxEventAttributes_t *a)
{
	struct nvtx_call c = nvtx_call_of(nvtx_domain_of(d), a);
	return nvtx_range_push(&c);
}

static int NVTX_API nvtx_core2_pop(nvtxDomainHandle_t d)
{
	struct nvtx_call c = { .domain = nvtx_domain_of(d) };
	return nvtx_range_pop(&c);
}

static nvtxRangeId_t NVTX_API nvtx_core2_start(nvtxDomainHandle_t d,
	const nvtxEventAttributes_t *a)
{
	struct nvtx_call c = nvtx_call_of(nvtx_domain_of(d), a);
	return nvtx_range_start(&c);
}

static void NVTX_API nvtx_core2_end(nvtxDomainHandle_t d, nvtxRangeId_t id)
{
	(void)d;
	nvtx_range_end(id);
}

/* Handles are numbers. Programs never dereference them. */
static nvtxStringHandle_t nvtx_keep(nvtxDomainHandle_t d, const char *text,
	size_t len)
{
	struct nvtx_state *w = nvtx_state();
	uintptr_t id = nvtx_texts_put(w->texts,
		nvtx_domain_name(w, nvtx_domain_of(d)), text, len);
	nvtx_count(&w->lost, id == 0);
	return (nvtxStringHandle_t)id;
}

static nvtxStringHandle_t NVTX_API nvtx_register_a(nvtxDomainHandle_t d,
	const char *text)
{
	size_t len = text ? strnlen(text, NVTX_TEXT_MOST) : 0;
	return nvtx_keep(d, text ? text : "",
		len == NVTX_TEXT_MOST ? nvtx_utf8_clip(text, len) : len);
}

static nvtxStringHandle_t NVTX_API nvtx_register_w(nvtxDomainHandle_t d,
	const wchar_t *wide)
{
	char text[NAME_MOST];
	return nvtx_keep(d, text,
		wide ? nvtx_utf8_from(text, NAME_MOST, wide) : 0);
}

static nvtxDomainHandle_t NVTX_API nvtx_create_a(const char *name)
{
	uintptr_t i = nvtx_domain_make(nvtx_state(), name ? name : "",
		name ? strnlen(name, NAME_MOST) : 0);
	return (nvtxDomainHandle_t)i;
}

static nvtxDomainHandle_t NVTX_API nvtx_create_w(const wchar_t *wide)
{
	char name[NAME_MOST];
	uintptr_t i = nvtx_domain_make(nvtx_state(), name,
		wide ? nvtx_utf8_from(name, NAME_MOST, wide) : 0);
	return (nvtxDomainHandle_t)i;
}

static void NVTX_API nvtx_destroy(nvtxDomainHandle_t d)
{
	nvtx_domain_end(nvtx_state(), nvtx_domain_of(d));
}

static const struct nvtx_slot nvtx_core2_slots[] = {
	CALL(NVTX_CBID_CORE2_DomainMarkEx, nvtx_core2_mark),
	CALL(NVTX_CBID_CORE2_DomainRangeStartEx, nvtx_core2_start),
	CALL(NVTX_CBID_CORE2_DomainRangeEnd, nvtx_core2_end),
	CALL(NVTX_CBID_CORE2_DomainRangePushEx, nvtx_core2_push),
	CALL(NVTX_CBID_CORE2_DomainRangePop, nvtx_core2_pop),
	CALL(NVTX_CBID_CORE2_DomainRegisterStringA, nvtx_register_a),
	CALL(NVTX_CBID_CORE2_DomainRegisterStringW, nvtx_register_w),
	CALL(NVTX_CBID_CORE2_DomainCreateA, nvtx_create_a),
	CALL(NVTX_CBID_CORE2_DomainCreateW, nvtx_create_w),
	CALL(NVTX_CBID_CORE2_DomainDestroy, nvtx_destroy),
	{ 0, NULL },
};

static struct nvtx_call nvtx_message_call(nvtxDomainHandle_t d,
	const nvtxPayloadData_t *data, size_t n)
{
	return (struct nvtx_call){ .domain = nvtx_domain_of(d),
		.payload_type = NVTX_PAYLOAD_TYPE_EXT,
		.payload = data,
		.payloads = n };
}

static uint64_t NVTX_API nvtx_register_schema(nvtxDomainHandle_t d,
	const nvtxPayloadSchemaAttr_t *a)
{
	return nvtx_payload_register_schema(nvtx_state()->schemas,
		nvtx_domain_of(d), a);
}

static uint64_t NVTX_API nvtx_register_enum(nvtxDomainHandle_t d,
	const nvtxPayloadEnumAttr_t *a)
{
	return nvtx_payload_register_enum(nvtx_state()->schemas,
		nvtx_domain_of(d), a);
}

static void NVTX_API nvtx_extension_mark(nvtxDomainHandle_t d,
	const nvtxPayloadData_t *data, size_t n)
{
	(void)d;
	(void)data;
	(void)n;
	nvtx_range_mark();
}

static int NVTX_API nvtx_extension_push(nvtxDomainHandle_t d,
	const nvtxPayloadData_t *data, size_t n)
{
	struct nvtx_call c = nvtx_message_call(d, data, n);
	return nvtx_range_push(&c);
}

static int NVTX_API nvtx_extension_pop(nvtxDomainHandle_t d,
	const nvtxPayloadData_t *data, size_t n)
{
	struct nvtx_call c = nvtx_message_call(d, data, n);
	return nvtx_range_pop(&c);
}

static nvtxRangeId_t NVTX_API nvtx_extension_start(nvtxDomainHandle_t d,
	const nvtxPayloadData_t *data, size_t n)
{
	struct nvtx_call c = nvtx_message_call(d, data, n);
	return nvtx_range_start(&c);
}

static void NVTX_API nvtx_extension_end(nvtxDomainHandle_t d, nvtxRangeId_t id,
	const nvtxPayloadData_t *data, size_t n)
{
	(void)d;
	(void)data;
	(void)n;
	nvtx_range_end(id);
}

static const struct nvtx_slot nvtx_extension_slots[] = {
	CALL(NVTX3EXT_CBID_nvtxPayloadSchemaRegister, nvtx_register_schema),
	CALL(NVTX3EXT_CBID_nvtxPayloadEnumRegister, nvtx_register_enum),
	CALL(NVTX3EXT_CBID_nvtxMarkPayload, nvtx_extension_mark),
	CALL(NVTX3EXT_CBID_nvtxRangePushPayload, nvtx_extension_push),
	CALL(NVTX3EXT_CBID_nvtxRangePopPayload, nvtx_extension_pop),
	CALL(NVTX3EXT_CBID_nvtxRangeStartPayload, nvtx_extension_start),
	CALL(NVTX3EXT_CBID_nvtxRangeEndPayload, nvtx_extension_end),
	{ 0, NULL },
};

static void nvtx_fill(NvtxFunctionTable table, unsigned n,
	const struct nvtx_slot *s)
{
	for (; s->call; s++)
		if (s->at < n && table[s->at])
			*table[s->at] = s->call;
}

int nvtx_attach(void *get_export_table)
{
	NvtxGetExportTableFunc_t get =
		(NvtxGetExportTableFunc_t)(uintptr_t)get_export_table;
	const NvtxExportTableCallbacks *of =
		get ? get(NVTX_ETID_CALLBACKS) : NULL;
	NvtxFunctionTable table = NULL;
	unsigned n = 0;

	if (!of || of->struct_size < sizeof *of || !nvtx_state_make())
		return 1;
	if (of->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &n))
		nvtx_fill(table, n, nvtx_core_slots);
	if (of->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &n))
		nvtx_fill(table, n, nvtx_core2_slots);
	return 1;
}

int nvtx_attach_extension(void *module_info)
{
	const nvtxExtModuleInfo_t *m = module_info;
	if (!m || m->structSize < sizeof *m ||
		m->moduleId != NVTX_EXT_PAYLOAD_MODULEID ||
		m->segmentsCount == 0 || !nvtx_state_make())
		return 1;
	for (const struct nvtx_slot *s = nvtx_extension_slots; s->call; s++)
		if (s->at < m->segments->slotCount)
			m->segments->functionSlots[s->at] = (intptr_t)s->call;
	return 1;
}

void nvtx_record(bool on)
{
	struct nvtx_state *w = on ? nvtx_state_make() : nvtx_state();
	uint32_t recording = NVTX_RECORD;
	if (!w)
		return;
	if (on && nvtx_mode(w) != NVTX_RECORD) {
		atomic_store_explicit(&w->opened_ns, clock_real_ns(),
			memory_order_release);
		atomic_store_explicit(&w->mode, NVTX_RECORD,
			memory_order_release);
	} else if (!on && nvtx_mode(w) == NVTX_RECORD) {
		atomic_store_explicit(&w->closed_ns, clock_real_ns(),
			memory_order_release);
		atomic_compare_exchange_strong_explicit(&w->mode, &recording,
			NVTX_CLOSING, memory_order_release,
			memory_order_relaxed);
	}
}

void nvtx_wakes(nvtx_wake_fn *wake, void *ctx)
{
	struct nvtx_state *w = nvtx_state_make();
	if (!w)
		return;
	atomic_store_explicit(&w->wake_ctx, ctx, memory_order_relaxed);
	atomic_store_explicit(&w->wake, wake, memory_order_release);
}

/* Returns the number of the frame's text and stores it in the frame, because a
 * graph that is captured reads the same ranges again and again. */
static uint32_t nvtx_name(struct nvtx_state *w, struct nvtx_thread *t,
	uint32_t place, const struct nvtx_open *o)
{
	if (o->text || o->lost)
		return o->text;
	uint32_t id = nvtx_texts_put(w->texts, nvtx_domain_name(w, o->domain),
		(const char *)&t->words[o->at], o->text_len);
	if (id)
		nvtx_thread_name(t, place, id);
	else
		nvtx_count(&w->lost, 1);
	return id;
}

int nvtx_stack(uint32_t *texts, int most)
{
	struct nvtx_state *w = nvtx_state();
	struct nvtx_thread *t = w ? nvtx_state_my_thread() : NULL;
	struct nvtx_open o;
	int n = 0;

	for (uint32_t i = t ? atomic_load_explicit(&t->depth,
				      memory_order_relaxed)
			    : 0;
		i-- > 0 && n < most;)
		if (nvtx_thread_at(t, i, &o) &&
			(texts[n] = nvtx_name(w, t, i, &o)) != 0)
			n++;
	return n;
}

const char *nvtx_text(uint32_t id, size_t *len)
{
	struct nvtx_state *w = nvtx_state();
	*len = 0;
	return w ? nvtx_texts_get(w->texts, id, len) : "";
}

const char *nvtx_domain(uint32_t id)
{
	struct nvtx_state *w = nvtx_state();
	size_t len;
	return w ? nvtx_texts_get(w->texts, nvtx_texts_domain(w->texts, id),
			   &len)
		 : "";
}

int64_t nvtx_dropped(void)
{
	struct nvtx_state *w = nvtx_state();
	return w ? atomic_exchange_explicit(&w->lost, 0, memory_order_relaxed)
		 : 0;
}
