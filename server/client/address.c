/* address.c - builds URLs and percent-encodes all text from outside. */
#include "address.h"
#include "url_encode.h"
#include <inttypes.h>

static const char *address_host_of(const char *server)
{
	if (!strncasecmp(server, "http://", 7))
		return server + 7;
	if (!strncasecmp(server, "https://", 8))
		return server + 8;
	return NULL;
}

bool address_is_local(const char *server)
{
	const char *host = address_host_of(server);
	static const char *const local[] = { "localhost", "127.0.0.1",
		"[::1]" };
	for (size_t i = 0; host && i < sizeof local / sizeof *local; i++) {
		size_t len = strlen(local[i]);
		if (!strncasecmp(host, local[i], len) &&
			(!host[len] || strchr("/:", host[len])))
			return true;
	}
	return false;
}

void address_path(struct buf *b, const char *server, const char *path)
{
	size_t len = strlen(server);
	while (len && server[len - 1] == '/')
		len--;
	buf_add(b, server, len);
	buf_puts(b, path);
}

/* Appends one query parameter; nothing if the value is NULL or empty. */
static void address_add_query(struct buf *b, char *before, const char *key,
	size_t key_len, const char *value)
{
	if (!value || !*value)
		return;
	buf_add(b, before, 1);
	*before = '&';
	url_encode(b, key, key_len);
	buf_puts(b, "=");
	url_encode(b, value, strlen(value));
}

/* Appends the labels of the options. */
static void address_add_labels(struct buf *b, char *before,
	const struct options *o)
{
	for (int i = 0; i < o->label.n; i++) {
		const char *equals = strchr(o->label.at[i], '=');
		buf_add(b, before, 1);
		*before = '&';
		buf_puts(b, "label.");
		url_encode(b, o->label.at[i],
			(size_t)(equals - o->label.at[i]));
		buf_puts(b, "=");
		url_encode(b, equals + 1, strlen(equals + 1));
	}
}

void address_send(struct buf *b, const struct options *o, const char *file)
{
	char before = '?';
	const struct {
		const char *key, *value;
	} all[] = { { "project", o->project }, { "workload", o->workload },
		{ "name", o->name }, { "job", o->job },
		{ "gpu_hours", o->gpu_hours }, { "file", file } };
	address_path(b, o->server, "/api/v1/uploads");
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		address_add_query(b, &before, all[i].key, strlen(all[i].key),
			all[i].value);
	address_add_labels(b, &before, o);
}

void address_fusions(struct buf *b, const struct options *o, const char *format)
{
	char before = '?';
	address_path(b, o->server, "/api/v1/importance/fusions");
	address_add_query(b, &before, "project", 7, o->project);
	address_add_query(b, &before, "workload", 8, o->workload);
	address_add_query(b, &before, "format", 6, format);
	address_add_labels(b, &before, o);
}

void address_devices(struct buf *b, const struct options *o, const char *format)
{
	char before = '?';
	const struct {
		const char *key, *value;
	} all[] = { { "project", o->project }, { "workload", o->workload },
		{ "framework", o->framework }, { "platform", o->platform },
		{ "since", o->since }, { "until", o->until },
		{ "verdict", strcmp(o->verdict, "any") ? o->verdict : "" },
		{ "format", format },
		/* A page of all GPUs; tables have no pages. */
		{ "limit", strcmp(format, "json") ? "" : "10000" } };
	address_path(b, o->server, "/api/v1/devices");
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		address_add_query(b, &before, all[i].key, strlen(all[i].key),
			all[i].value);
	address_add_labels(b, &before, o);
}

void address_runs(struct buf *b, const struct options *o, int limit,
	const char *after)
{
	char before = '?', most[16];
	const struct {
		const char *key, *value;
	} all[] = { { "project", o->project }, { "workload", o->workload },
		{ "framework", o->framework }, { "since", o->since },
		{ "until", o->until }, { "limit", most }, { "cursor", after } };
	snprintf(most, sizeof most, "%d", limit);
	address_path(b, o->server, "/api/v1/runs");
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		address_add_query(b, &before, all[i].key, strlen(all[i].key),
			all[i].value);
	address_add_labels(b, &before, o);
}

static void address_compare_query(struct buf *b, const struct options *o,
	const char *base, const char *head, const char *score,
	const char *format)
{
	char before = '?';
	const struct {
		const char *key, *value;
	} all[] = { { "base", base }, { "head", head }, { "score", score },
		{ "format", format }, { "range", o->range },
		{ "noise_floor", o->noise_floor }, { "margin", o->margin },
		{ "seed", o->seed } };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		address_add_query(b, &before, all[i].key, strlen(all[i].key),
			all[i].value);
}

/* The links of the server's Markdown. */
static void address_site(struct buf *b, const struct options *o)
{
	size_t len = strlen(o->server);
	while (len && o->server[len - 1] == '/')
		len--;
	buf_puts(b, "&site=");
	url_encode(b, o->server, len);
}

void address_diagnosis(struct buf *b, const struct options *o, int64_t run)
{
	address_path(b, o->server, "/api/v1/runs/");
	buf_printf(b, "%" PRId64 "/diagnosis", run);
	if (!strcmp(o->format, "md")) {
		buf_puts(b, "?format=md");
		address_site(b, o);
	}
}

void address_compare(struct buf *b, const struct options *o, const char *format)
{
	address_path(b, o->server, "/api/v1/compare");
	address_compare_query(b, o, o->files.at[0], o->files.at[1], o->score,
		format);
	if (!strcmp(format, "md"))
		address_site(b, o);
}

static bool address_is_query(const char *side)
{
	return strncmp(side, "job:", 4) != 0 &&
	       side[strspn(side, "0123456789,")] != '\0';
}

void address_compare_page(struct buf *b, const struct options *o,
	const char *base_ids, const char *head_ids)
{
	const char *base = o->files.at[0], *head = o->files.at[1];

	address_path(b, o->server, "/compare");
	address_compare_query(b, o, address_is_query(base) ? base_ids : base,
		address_is_query(head) ? head_ids : head, "", "");
}

void address_named(struct buf *b, const char *server, const char *path,
	const char *name)
{
	address_path(b, server, path);
	url_encode(b, name, strlen(name));
}

void address_attach(struct buf *b, const char *server, int64_t run,
	const char *what, const char *file)
{
	char before = '?';
	address_path(b, server, "/api/v1/runs/");
	buf_printf(b, "%" PRId64 "/%s", run, what);
	address_add_query(b, &before, "file", strlen("file"), file);
}

void address_upload(struct buf *b, const char *server, int64_t id)
{
	address_path(b, server, "/api/v1/uploads/");
	buf_printf(b, "%" PRId64, id);
}

void address_run(struct buf *b, const char *server, int64_t id)
{
	address_path(b, server, "/runs/");
	buf_printf(b, "%" PRId64, id);
}
