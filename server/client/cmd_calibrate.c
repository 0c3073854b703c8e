/* cmd_calibrate.c - `kernsift calibrate`: measures the rates of a GPU, prints
 * them, and sends them as the ceilings of its platform. */
#include "address.h"
#include "calibrate.h"
#include "commands.h"
#include "json_get.h"
#include "retry.h"
#include "wire.h"
#include <errno.h>
#include <jansson.h>
#include <time.h>

static json_t *calibrate_known(int mhz)
{
	return mhz < 0 ? json_null() : json_integer(mhz);
}

static json_t *calibrate_text(const char *text)
{
	return text && *text ? json_string(text) : json_null();
}

static json_t *calibrate_row_json(const struct calibrate_row *r)
{
	return json_pack("{s:s, s:o, s:f, s:s, s:s, s:i, s:o, s:o}",
		"measurement", r->measurement, "dtype",
		calibrate_text(r->dtype), "value", r->value, "unit", r->unit,
		"method", r->method, "devices", r->devices, "sm_clock_mhz",
		calibrate_known(r->sm_clock_mhz), "memory_clock_mhz",
		calibrate_known(r->memory_clock_mhz));
}

/* The document that POST /ceilings takes. */
static char *calibrate_document(const struct calibrate_result *c,
	const struct options *o)
{
	json_t *items = json_array();
	char now[32];
	time_t t = time(NULL);
	struct tm utc;

	gmtime_r(&t, &utc);
	strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &utc);
	for (int i = 0; i < c->rows_n; i++)
		json_array_append_new(items, calibrate_row_json(&c->rows[i]));
	json_t *v = json_pack("{s:s, s:o, s:o, s:o, s:s, s:o}", "device",
		c->device, "platform", calibrate_text(o->platform), "driver",
		calibrate_text(c->driver), "cuda", calibrate_text(c->cuda),
		"measured_at", now, "items", items);
	char *text = json_dumps(v, JSON_INDENT(1));
	json_decref(v);
	if (!text)
		abort();
	return text;
}

static void calibrate_print_clock(int mhz)
{
	if (mhz < 0)
		printf(" %8s", "unknown");
	else
		printf(" %8d", mhz);
}

static void calibrate_print(const struct calibrate_result *c)
{
	printf("%s, driver %s, CUDA %s\n\n%-11s%-10s%18s %8s %8s  %s\n",
		c->device, *c->driver ? c->driver : "unknown",
		*c->cuda ? c->cuda : "unknown", "measurement", " dtype", "rate",
		"SM MHz", "mem MHz", "method");
	for (int i = 0; i < c->rows_n; i++) {
		const struct calibrate_row *r = &c->rows[i];
		bool flops = r->dtype;

		printf("%-11s %-9s%11.2f %-6s", r->measurement,
			r->dtype ? r->dtype : "",
			r->value / (flops ? 1e12 : 1e9),
			flops ? "TFLOP/s" : "GB/s");
		calibrate_print_clock(r->sm_clock_mhz);
		calibrate_print_clock(r->memory_clock_mhz);
		printf("  %s\n", r->method);
	}
}

static bool calibrate_write(const char *path, const char *text, struct err *e)
{
	FILE *f = fopen(path, "w");
	bool ok = f && fputs(text, f) >= 0 && fputc('\n', f) != EOF;

	if (f && fclose(f))
		ok = false;
	return ok || err_set(e, ERR_FILE, "--json: cannot write '%.200s': %s",
			     path, strerror(errno));
}

/* The server says which platform the device belongs to, and what is unusual. */
static bool calibrate_answer(const struct buf *body, struct err *e)
{
	struct arena a = { 0 };
	json_t *v = json_loadb(body->at ? body->at : "", body->len, 0, NULL);
	const json_t *items = json_object_get(v, "items");
	const char *platform = json_get_text(&a, v, "platform");
	bool ok = *platform && json_is_array(items);

	for (size_t i = 0; ok && i < json_array_size(items); i++) {
		const json_t *r = json_array_get(items, i);
		const char *note = json_get_text(&a, r, "note");

		if (*note)
			fprintf(stderr, "kernsift: %s %s is %s\n",
				json_get_text(&a, r, "measurement"),
				json_get_text(&a, r, "dtype"), note);
	}
	if (ok)
		printf("\nceilings %s: %zu rates\n", platform,
			json_array_size(items));
	else
		err_set(e, ERR_UNREACHABLE,
			"the server's answer is not a list of ceilings; is it "
			"a kernsift server?");
	json_decref(v);
	arena_release(&a);
	return ok;
}

static bool calibrate_send(const struct options *o, struct wire *w,
	const char *text, struct err *e)
{
	struct attempt a = { 0 };
	struct meter m;
	struct buf url, body;

	meter_init(&m);
	buf_init(&url, ADDRESS_MAX);
	address_path(&url, o->server, "/api/v1/ceilings");
	struct retry_request q = { url.at, text, "ceilings", WIRE_ANSWER_MAX };
	bool ok = retry_send(w, o, &q, &m, &a, &body, e);
	meter_clear(&m);
	buf_release(&url);
	if (!ok)
		return false;
	ok = calibrate_answer(&body, e);
	buf_release(&body);
	return ok;
}

static bool calibrate_report(const struct options *o, struct wire *w,
	const struct calibrate_result *c, struct err *e)
{
	char *text = calibrate_document(c, o);
	bool ok = true;

	calibrate_print(c);
	for (int i = 0; i < c->messages_n; i++)
		fprintf(stderr, "kernsift: %s\n", c->messages[i].text);
	if (*o->json)
		ok = calibrate_write(o->json, text, e);
	if (w && c->failed)
		ok = err_set(e, ERR_INPUT,
			"nothing is sent, because a measurement failed");
	else if (w && ok)
		ok = calibrate_send(o, w, text, e);
	free(text);
	return commands_flush(e) && ok;
}

/* The token is checked before the measurement, which takes a minute. */
int cmd_calibrate(const struct options *o)
{
	struct calibrate_result c;
	struct err e = { 0 };
	struct wire *w = NULL;

	if (o->upload && !(w = wire_new(o, &e))) {
		fprintf(stderr, "kernsift: %s\n", e.text);
		return commands_usage_status(&e);
	}
	bool ok = calibrate_run((int)o->device, &c, &e) &&
		  calibrate_report(o, w, &c, &e);
	wire_free(w);
	if (!ok)
		fprintf(stderr, "kernsift: %s\n", e.text);
	return !ok ? commands_status(&e) : c.failed ? EXIT_FAILED : EXIT_OK;
}
