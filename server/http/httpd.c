/* httpd.c - opens the door, and closes it without cutting anybody off. */
#include "exchange.h"
#include "http_state.h"
#include "listen.h"
#include "log.h"
#include "tls.h"
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Half of it is the read buffer of a body; all of it bounds the headers. */
enum { CONNECTION_BYTES = 128 << 10 };

static void on_log(void *cls, const char *fmt, va_list ap)
{
	char text[300];
	(void)cls;
	/* libmicrohttpd's own formats. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	vsnprintf(text, sizeof text, fmt, ap);
#pragma GCC diagnostic pop
	text[strcspn(text, "\r\n")] = '\0';
	log_debug("mhd text=\"%s\"", text);
}

static struct MHD_Daemon *start(struct httpd *h, const struct httpd_options *o,
	const struct tls *tls)
{
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD |
			 MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
	struct MHD_OptionItem https[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, tls->cert },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, tls->key },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, TLS_VERSIONS },
		{ MHD_OPTION_END, 0, NULL },
	};
	if (tls->key)
		flags |= MHD_USE_TLS;
	return MHD_start_daemon(flags, 0, NULL, NULL, exchange_step, h,
		MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL, MHD_OPTION_ARRAY,
		tls->key ? https : &https[3], MHD_OPTION_LISTEN_SOCKET,
		(MHD_socket)h->listen_fd, MHD_OPTION_THREAD_POOL_SIZE,
		(unsigned)o->threads, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)o->connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)CONNECTION_BYTES, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)o->idle_s, MHD_OPTION_URI_LOG_CALLBACK,
		exchange_begin, h, MHD_OPTION_NOTIFY_COMPLETED, exchange_end, h,
		MHD_OPTION_END);
}

static bool options_check(const struct httpd_options *o, struct err *e)
{
	if (o->threads < 1 || o->writers < 1)
		return err_set(e, ERR_INPUT,
			"at least one HTTP thread and one writer are needed");
	if (o->connections < o->threads)
		return err_set(e, ERR_INPUT,
			"fewer connections (%d) than HTTP threads (%d)",
			o->connections, o->threads);
	return true;
}

struct httpd *httpd_new(struct api *a, const struct httpd_options *o,
	struct err *e)
{
	struct httpd *h = calloc(1, sizeof *h);
	if (!h)
		abort();
	h->api = a;
	h->listen_fd = -1;
	struct tls tls = { 0 };
	if (options_check(o, e) && tls_read(&tls, o->tls_cert, o->tls_key, e) &&
		(h->files = files_new(o->web, e)))
		h->listen_fd = listen_on(o->listen, &h->port, e);
	if (h->listen_fd < 0) {
		tls_release(&tls);
		httpd_free(h);
		return NULL;
	}
	h->writers = writers_new(o->writers);
	h->watch = watch_new(a, o->upload_min_rate, tls.key);
	h->daemon = start(h, o, &tls);
	tls_release(&tls);
	if (h->daemon)
		return h;
	err_set(e, ERR_INTERNAL, "the HTTP library does not start: %s",
		strerror(errno));
	httpd_free(h);
	return NULL;
}

int httpd_port(const struct httpd *h)
{
	return h->port;
}

/* After this the kernel refuses new connections. The socket is closed only
 * when no thread of libmicrohttpd can touch it any more. */
static void stop_listening(struct httpd *h)
{
	if (h->deaf || !h->daemon)
		return;
	MHD_quiesce_daemon(h->daemon);
	shutdown(h->listen_fd, SHUT_RDWR);
	h->deaf = true;
}

void httpd_drain(struct httpd *h, int drain_s)
{
	atomic_store(&h->draining, true);
	stop_listening(h);
	for (int ms = 0; ms < drain_s * 1000; ms += 20) {
		if (!atomic_load(&h->active))
			return;
		usleep(20000);
	}
	log_warn("drain left=%d s=%d", atomic_load(&h->active), drain_s);
}

void httpd_free(struct httpd *h)
{
	if (!h)
		return;
	stop_listening(h);
	if (h->daemon) {
		writers_release(h->writers);
		MHD_stop_daemon(h->daemon);
	}
	writers_free(h->writers);
	watch_free(h->watch);
	files_free(h->files);
	if (h->listen_fd >= 0)
		close(h->listen_fd);
	free(h);
}
