/* httpd.h - libmicrohttpd's many calls in, one api call out.
 *
 * A pool of threads moves bytes; whatever an upload has to wait for happens on
 * writer threads, with the connection suspended. Limits at the door: header
 * and body size, idle time, a minimum upload rate, connections. One log line
 * per request. */
#pragma once
#include "api.h"

struct httpd_options {
	const char *listen; /* ADDR:PORT; port 0 takes a free one */
	const char *tls_cert, *tls_key; /* files; NULL or "": plain HTTP */
	const char *web; /* folder to serve the page from; NULL: the one
	                    carried in the program */
	int threads, writers, connections;
	int idle_s; /* a connection without a byte is closed */
	int64_t upload_min_rate; /* bytes per second, after 10 s */
};

struct httpd;
struct httpd *httpd_new(struct api *a, const struct httpd_options *o,
	struct err *e);
int httpd_port(const struct httpd *h);
/* Accepts no new requests; waits at most drain_s for those in progress. */
void httpd_drain(struct httpd *h, int drain_s);
void httpd_free(struct httpd *h);
