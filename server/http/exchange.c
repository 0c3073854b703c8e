/* exchange.c - collects a body or streams it, then answers. */
#include "exchange_state.h"
#include "log.h"
#include "respond.h"
#include <string.h>

enum { DRAIN_MAX = 1 << 20 };

static int64_t now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

void *exchange_begin(void *cls, const char *uri, struct MHD_Connection *c)
{
	struct httpd *h = cls;
	struct exchange *x = calloc(1, sizeof *x);
	char *path = strdup(uri ? uri : "");
	if (!x || !path)
		abort();
	char *query = strchr(path, '?');
	if (query)
		*query++ = '\0';
	*x = (struct exchange){ .h = h,
		.connection = c,
		.path = path,
		.query = query,
		.began_us = now_us() };
	buf_init(&x->body, API_BODY_MAX);
	atomic_fetch_add(&h->active, 1);
	return x;
}

static enum MHD_Result drain(struct exchange *x, size_t *len)
{
	x->drained += (int64_t)*len;
	*len = 0;
	if (x->drained > DRAIN_MAX)
		watch_refuse(x->h->watch, &x->watched, &x->answer, true);
	return MHD_YES;
}

static enum MHD_Result body(struct exchange *x, const char *data, size_t *len)
{
	atomic_fetch_add(&x->watched.received, (long long)*len);
	if (x->refused)
		return drain(x, len);
	if (!x->stream) {
		buf_add(&x->body, data, *len);
		*len = 0;
		if (!x->body.full)
			return MHD_YES;
		exchange_too_large(x);
		return exchange_refuse(x, false);
	}
	size_t offered = *len;
	switch (stream_put(x->stream, data, len)) {
	case STREAM_OK:
		/* What is left over comes again. */
		atomic_fetch_sub(&x->watched.received, (long long)*len);
		return MHD_YES;
	case STREAM_REFUSED:
		stream_answer(x->stream, &x->answer);
		*len = offered;
		exchange_refuse(x, false);
		return drain(x, len);
	case STREAM_STOPPED:
		break;
	}
	return MHD_NO;
}

static bool is_get(const struct exchange *x)
{
	return !strcmp(x->method, "GET") || !strcmp(x->method, "HEAD");
}

static enum MHD_Result send_page(struct exchange *x)
{
	struct api_request r = exchange_request(x);
	struct file f;
	struct err e = { 0 };
	if (!api_admits(x->h->api, &r, &x->answer))
		return exchange_answer(x);
	if (!is_get(x))
		err_set(&e, ERR_METHOD, "the page is only for reading");
	if (e.code || !files_get(x->h->files, x->path, &f, &e)) {
		api_refuse(x->h->api, e.code, e.text, &x->answer);
		if (e.code == ERR_METHOD)
			snprintf(x->answer.allow, sizeof x->answer.allow,
				"GET, HEAD");
		return exchange_answer(x);
	}
	bool same = files_match(exchange_header(x, "If-None-Match"), f.etag);
	x->status = same ? 304 : 200;
	x->sent = same ? 0 : (int64_t)f.len;
	return respond_file(x->connection, &f, same,
		       atomic_load(&x->h->draining))
		       ? MHD_YES
		       : MHD_NO;
}

/* All has come: the answer. */
static enum MHD_Result finish(struct exchange *x)
{
	struct api_request r = exchange_request(x);
	bool stopped;
	if (watch_remove(x->h->watch, &x->watched))
		return MHD_NO; /* nothing more may be said */
	if (x->refused)
		return exchange_answer(x);
	if (x->stream) {
		if (!stream_end(x->stream, &stopped))
			return stopped ? MHD_NO : MHD_YES;
		stream_answer(x->stream, &x->answer);
		return exchange_answer(x);
	}
	if (!api_owns(x->path))
		return send_page(x);
	api_call(x->h->api, &r, &x->answer);
	return exchange_answer(x);
}

enum MHD_Result exchange_step(void *cls, struct MHD_Connection *c,
	const char *url, const char *method, const char *version,
	const char *data, size_t *len, void **slot)
{
	struct exchange *x = *slot;
	(void)cls, (void)c, (void)url, (void)version;
	if (!x->begun)
		return exchange_head(x, method);
	return *len ? body(x, data, len) : finish(x);
}

/* A path for a line of key=value words. */
static void printable(const char *path, char out[200])
{
	size_t i = 0;
	for (; path[i] && i + 1 < 200; i++)
		out[i] = path[i] == ' ' || path[i] == '"' ? '_' : path[i];
	out[i] = '\0';
}

void exchange_end(void *cls, struct MHD_Connection *c, void **slot,
	enum MHD_RequestTerminationCode why)
{
	struct exchange *x = *slot;
	char path[200];
	(void)cls, (void)c;
	if (!x)
		return;
	int told = watch_remove(x->h->watch, &x->watched);
	if (x->stream)
		stream_gone(x->stream);
	printable(x->path, path);
	log_info("http method=%s path=%s status=%d ms=%.1f bytes=%lld%s",
		*x->method ? x->method : "-", path, told ? told : x->status,
		(double)(now_us() - x->began_us) / 1000, (long long)x->sent,
		why == MHD_REQUEST_TERMINATED_COMPLETED_OK ? "" : " cut=yes");
	atomic_fetch_sub(&x->h->active, 1);
	buf_release(&x->body);
	api_answer_release(&x->answer);
	free(x->path);
	free(x);
	*slot = NULL;
}
