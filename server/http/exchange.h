/* exchange.h - one request, from its first line to its last byte sent.
 *
 * libmicrohttpd calls on_request at least twice: with the headers, with each
 * piece of the body, and at the end. An exchange is what is remembered in
 * between. It belongs to its connection's thread. */
#pragma once
#include <microhttpd.h>

/* As MHD_OPTION_URI_LOG_CALLBACK, _AccessHandlerCallback and
 * _OPTION_NOTIFY_COMPLETED; `cls` is the struct httpd. */
void *exchange_begin(void *cls, const char *uri, struct MHD_Connection *c);
enum MHD_Result exchange_step(void *cls, struct MHD_Connection *c,
	const char *url, const char *method, const char *version,
	const char *data, size_t *len, void **slot);
void exchange_end(void *cls, struct MHD_Connection *c, void **slot,
	enum MHD_RequestTerminationCode why);
