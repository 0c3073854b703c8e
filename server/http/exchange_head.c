/* exchange_head.c - what is decided when a request's headers are there. */
#include "exchange_state.h"
#include "respond.h"
#include <string.h>

enum { URI_MAX = 8 << 10, HEADERS_MAX = 32 << 10 };

const char *exchange_header(void *ctx, const char *name)
{
	struct exchange *x = ctx;
	return MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND,
		name);
}

static int socket_of(struct exchange *x)
{
	const union MHD_ConnectionInfo *i =
		MHD_get_connection_info(x->connection,
			MHD_CONNECTION_INFO_CONNECTION_FD);
	return i ? i->connect_fd : -1;
}

struct api_request exchange_request(struct exchange *x)
{
	const union MHD_ConnectionInfo *peer =
		MHD_get_connection_info(x->connection,
			MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	socklen_t len = sizeof x->local;
	if (!x->local.ss_family)
		getsockname(socket_of(x), (struct sockaddr *)&x->local, &len);
	return (struct api_request){
		.method = x->method,
		.path = x->path,
		.query = x->query,
		.header = exchange_header,
		.ctx = x,
		.peer = peer ? peer->client_addr : NULL,
		.local = (const struct sockaddr *)&x->local,
		.body = x->body.at,
		.body_len = x->body.len,
	};
}

enum MHD_Result exchange_answer(struct exchange *x)
{
	if (watch_remove(x->h->watch, &x->watched))
		return MHD_NO; /* nothing more may be said */
	x->status = x->answer.status;
	return respond_api(x->connection, &x->answer,
		       atomic_load(&x->h->draining), !strcmp(x->method, "HEAD"),
		       &x->sent)
		       ? MHD_YES
		       : MHD_NO;
}

static enum MHD_Result size_add(void *cls, enum MHD_ValueKind kind,
	const char *key, const char *value)
{
	size_t *sum = cls;
	(void)kind;
	*sum += strlen(key) + (value ? strlen(value) : 0) + 4;
	return MHD_YES;
}

/* Whether a body follows the headers. */
static bool has_body(struct exchange *x)
{
	const char *length = exchange_header(x, "Content-Length");
	return exchange_header(x, "Transfer-Encoding") ||
	       (length && strtoll(length, NULL, 10) > 0);
}

enum MHD_Result exchange_refuse(struct exchange *x, bool now)
{
	x->refused = true;
	if (now)
		return exchange_answer(x);
	watch_refuse(x->h->watch, &x->watched, &x->answer, false);
	return MHD_YES;
}

bool exchange_error(struct exchange *x, enum err_code code, const char *text)
{
	api_refuse(x->h->api, code, text, &x->answer);
	return false;
}

bool exchange_too_large(struct exchange *x)
{
	char text[64];
	snprintf(text, sizeof text, "the body is larger than %zu MiB",
		x->body.ceiling >> 20);
	return exchange_error(x, ERR_TOO_LARGE, text);
}

/* What every request's head is held against. */
static bool head_check(struct exchange *x)
{
	const char *length = exchange_header(x, "Content-Length");
	struct api_request r = exchange_request(x);
	size_t sum = 0;
	if (strlen(x->path) + (x->query ? strlen(x->query) : 0) > URI_MAX)
		return exchange_error(x, ERR_URI_LENGTH,
			"the address is longer than 8 KiB");
	MHD_get_connection_values(x->connection, MHD_HEADER_KIND, size_add,
		&sum);
	if (sum > HEADERS_MAX)
		return exchange_error(x, ERR_HEADER_SIZE,
			"the headers are longer than 32 KiB");
	if (api_streams(&r)) {
		struct api_receive *u =
			api_receive_begin(x->h->api, &r, &x->answer);
		if (u)
			x->stream = stream_new(x->h->writers, u, x->connection,
				&x->watched);
		return u;
	}
	x->body.ceiling = api_body_max(&r);
	if (length && strtoll(length, NULL, 10) > (long long)x->body.ceiling)
		return exchange_too_large(x);
	return true;
}

enum MHD_Result exchange_head(struct exchange *x, const char *method)
{
	bool body = has_body(x);
	x->begun = true;
	snprintf(x->method, sizeof x->method, "%s", method);
	if (body)
		watch_add(x->h->watch, &x->watched, socket_of(x));
	if (head_check(x))
		return MHD_YES;
	return exchange_refuse(x, !body || exchange_header(x, "Expect"));
}
