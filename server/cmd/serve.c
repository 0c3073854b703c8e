/* serve.c - the command `serve`: starts the server's modules in order, watches
 * them and stops them in reverse order. */
#include "clock.h"
#include "api.h"
#include "background_tasks.h"
#include "bytes_mover.h"
#include "command.h"
#include "worker_pool.h"
#include "httpd.h"
#include "log.h"
#include "outward.h"
#include "token.h"
#include "upload.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SERVE_URL_MAX = 160 };

/* Extracts the host of HOST:PORT, without brackets. */
static void serve_host(const char *listen, char *host, size_t size)
{
	const char *colon = strrchr(listen, ':');
	size_t n = colon ? (size_t)(colon - listen) : strlen(listen);
	if (n >= 2 && listen[0] == '[' && listen[n - 1] == ']') {
		listen++;
		n -= 2;
	}
	snprintf(host, size, "%.*s", (int)n, listen);
}

/* Whether the host in --listen has an address. */
static bool serve_check_listen(const char *listen, struct err *e)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE };
	struct addrinfo *list = NULL;
	char host[256];

	serve_host(listen, host, sizeof host);
	int why = getaddrinfo(host, NULL, &hints, &list);
	if (!why) {
		freeaddrinfo(list);
		return true;
	}
	return err_set(e, ERR_INPUT,
		"--listen: host '%.100s' has no address: %s (use HOST:PORT, "
		"for example 127.0.0.1:8080)",
		host, gai_strerror(why));
}

/* Whether only this machine can reach the server. */
static bool serve_is_loopback(const char *listen)
{
	char host[128];
	struct in_addr four;
	struct in6_addr six;
	serve_host(listen, host, sizeof host);
	if (inet_pton(AF_INET, host, &four) == 1)
		return ntohl(four.s_addr) >> 24 == 127;
	if (inet_pton(AF_INET6, host, &six) == 1)
		return IN6_IS_ADDR_LOOPBACK(&six) ||
		       (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
	return !strcmp(host, "localhost");
}

/* The URL of the server: "http://ADDR:PORT" or "https://ADDR:PORT", with the
 * actual port. */
static void serve_url(const char *listen, int port, bool tls,
	char url[SERVE_URL_MAX])
{
	char host[128];
	serve_host(listen, host, sizeof host);
	snprintf(url, SERVE_URL_MAX,
		strchr(host, ':') ? "%s://[%s]:%d" : "%s://%s:%d",
		tls ? "https" : "http", host, port);
}

enum { TICK_MS = 100, SWEEP_S = 30, SLACK_S = 60, DAY_S = 86400 };

struct serve_state {
	struct config config;
	struct arena arena;
	struct store store;
	struct db_pool *pool;
	struct api *api;
	struct httpd *httpd;
	struct worker_options workers;
	struct worker_pool *worker_pool;
	struct background_tasks *background;
	int sweep_idle_s;
	time_t sweep_at;
};

/* If clients outside this machine can reach the server, they must be
 * identified. */
static bool serve_check_exposure(struct serve_state *s, struct err *e)
{
	const struct config *c = &s->config;
	bool any;
	if (!serve_is_loopback(c->listen) && !*c->tls_cert && !c->proxy_tls)
		log_warn("serve listens on '%.80s' without TLS: other "
			 "users of the network can read tokens and traces; see "
			 "--tls-cert and --proxy-tls",
			c->listen);
	if (c->start_without_tokens || serve_is_loopback(c->listen))
		return true;
	if (!token_any(s->store.db, &any, e))
		return false;
	return any || err_set(e, ERR_INPUT,
			      "--listen: other machines can reach '%.80s', and "
			      "no token exists (create one with 'kernsiftd "
			      "token', or give --start-without-tokens)",
			      c->listen);
}

/* Whether browsers can open it: a scheme, a host and perhaps a port. */
static bool serve_is_address(const char *url)
{
	const char *host = !strncmp(url, "https://", 8)	 ? url + 8
			   : !strncmp(url, "http://", 7) ? url + 7
							 : "";

	return strcspn(host, "/?#") > 0 &&
	       strspn(host, "abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]") ==
		       strcspn(host, "/?#");
}

/* The page passes traces to this address, so it must be unambiguous. */
static bool serve_check_perfetto(const struct config *c, struct err *e)
{
	struct stat st;
	char index[PATH_MAX];
	if (*c->perfetto_dir) {
		snprintf(index, sizeof index, "%s/index.html", c->perfetto_dir);
		return !stat(index, &st) ||
		       err_set(e, ERR_INPUT,
			       "--perfetto-dir: cannot read '%.150s': %s (name "
			       "the folder that contains the UI's index.html)",
			       index, strerror(errno));
	}
	return serve_is_address(c->perfetto_url) ||
	       err_set(e, ERR_INPUT,
		       "--perfetto-url: '%.150s' is not an address (use "
		       "https://HOST or http://HOST:PORT)",
		       c->perfetto_url);
}

/* Checks the options before anything is started or written. */
static bool serve_check(const struct config *c, struct err *e)
{
	if (!*c->tls_cert != !*c->tls_key)
		return err_set(e, ERR_INPUT,
			"%s: the value is missing (--tls-cert and --tls-key "
			"require each other)",
			*c->tls_cert ? "--tls-key" : "--tls-cert");
	if (*c->web && access(c->web, R_OK | X_OK))
		return err_set(e, ERR_INPUT,
			"--web: cannot read '%.150s': %s (name the folder of "
			"the page, for example web)",
			c->web, strerror(errno));
	return serve_check_perfetto(c, e) && serve_check_listen(c->listen, e) &&
	       bytes_mover_check(c->bytes, e);
}

static bool serve_open_database(struct serve_state *s, struct err *e)
{
	int applied;
	int64_t working = 0, receiving = 0;
	if (!command_store(&s->store, &s->config, CLUSTER_SERVE, e) ||
		!command_migrated(s->store.db, &applied, e))
		return false;
	if (applied)
		log_info("migrate applied=%d", applied);
	/* PostgreSQL was started just now, so no process can be sending an
	 * upload or ingesting one. Claims that look active were left by a crash
	 * and can be released without waiting. */
	struct err why = { 0 };
	if (s->store.cluster && !upload_release_all(s->store.db, &working, e))
		return false;
	if (s->store.cluster &&
		!upload_expire_all(s->store.db, &receiving, &why))
		log_warn("sweep postponed: %s", why.text);
	if (working || receiving)
		log_info("serve left_by_crash working=%lld receiving=%lld",
			(long long)working, (long long)receiving);
	return true;
}

/* Gives this process a higher CPU priority than the workers. Its HTTP threads
 * also precede its threads that store uploads, which lower their own priority.
 * The reason: users wait for the answers to requests. This works only on
 * kernels that group tasks by session, and only for root. */
static void serve_priority_raise(void)
{
	int fd = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "-10", 3) < 0)
		log_debug("serve cannot set its autogroup");
	close(fd);
}

static bool serve_open_http(struct serve_state *s, struct err *e)
{
	const struct config *c = &s->config;
	serve_priority_raise();
	s->pool = db_pool_new(s->store.conninfo, c->db_connections);
	db_pool_limit(s->pool, c->statement_timeout_s);
	const struct api_options api = {
		.pool = s->pool,
		.hosts = c->hosts,
		.open_loopback = !c->require_tokens,
		.tls = *c->tls_cert || c->proxy_tls,
		.upload_bytes = (int64_t)c->upload_mib << 20,
		.uploads_max = c->uploads,
		.webhook_private = c->webhook_private,
		.perfetto_url =
			*c->perfetto_dir ? "/perfetto/" : c->perfetto_url,
	};
	s->api = api_new(&api, e);
	if (!s->api)
		return false;
	const struct httpd_options httpd = {
		.listen = c->listen,
		.tls_cert = c->tls_cert,
		.tls_key = c->tls_key,
		.web = *c->web ? c->web : NULL,
		.perfetto_dir = *c->perfetto_dir ? c->perfetto_dir : NULL,
		.threads = c->http_threads,
		.writers = c->writers,
		.connections = c->connections,
		.idle_s = c->idle_s,
		.upload_min_rate = (int64_t)c->upload_min_kib << 10,
	};
	s->httpd = httpd_new(s->api, &httpd, e);
	return s->httpd != NULL;
}

static bool serve_open_workers(struct serve_state *s,
	const struct invocation *in, struct err *e)
{
	s->workers = command_workers(&s->config, s->store.conninfo);
	s->worker_pool = worker_pool_new(&s->workers,
		command_worker_argv(&s->arena, in, &s->store), e);
	return s->worker_pool != NULL;
}

/* The maximum seconds between two signs of life of an upload that is still
 * arriving. Each chunk is a sign of life; this is the time of a chunk at the
 * lowest accepted rate. */
static int serve_slowest_chunk_s(const struct config *c)
{
	if (c->upload_min_kib == 0)
		return DAY_S;
	return (UPLOAD_CHUNK >> 10) / c->upload_min_kib + c->idle_s + SLACK_S;
}

static void serve_sweep(struct serve_state *s)
{
	struct err e = { 0 };
	int64_t swept = 0;
	bool more = false;
	if (clock_ms() / 1000 < s->sweep_at)
		return;
	if (!db_revive(s->store.db, &e) ||
		!upload_sweep(s->store.db, s->sweep_idle_s, &swept, &more, &e))
		log_warn("sweep: %s", e.text);
	/* After a failure, wait before the next sweep. */
	s->sweep_at = clock_ms() / 1000 + (more && !e.code ? 0 : SWEEP_S);
	if (swept)
		log_info("sweep uploads=%lld", (long long)swept);
}

/* What the server does every 100 ms. */
static void serve_supervise(struct serve_state *s)
{
	if (s->store.cluster)
		cluster_tend(s->store.cluster);
	worker_pool_supervise(s->worker_pool);
	serve_sweep(s);
}

/* After the signal, a proxy gets time to notice that this server is not ready and to
 * send its requests to another one. A second signal ends this time. */
static void serve_leave(struct serve_state *s, const sigset_t *set,
	const struct timespec *tick)
{
	int64_t end_ms = clock_ms() + s->config.unready_s * INT64_C(1000);
	if (s->config.unready_s == 0)
		return;
	api_leave(s->api);
	httpd_leave(s->httpd);
	while (clock_ms() < end_ms) {
		int sig = sigtimedwait(set, NULL, tick);
		if (sig > 0 && sig != SIGCHLD)
			return;
		serve_supervise(s);
	}
}

static void serve_run(struct serve_state *s)
{
	sigset_t set;
	const struct timespec tick = { 0, TICK_MS * 1000000L };
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	for (;;) {
		int sig = sigtimedwait(&set, NULL, &tick);
		if (sig > 0 && sig != SIGCHLD) {
			log_info("serve stops signal=%s", sigabbrev_np(sig));
			serve_leave(s, &set, &tick);
			return;
		}
		serve_supervise(s);
	}
}

static void serve_report_ready(const struct serve_state *s)
{
	char url[SERVE_URL_MAX];
	serve_url(s->config.listen, httpd_port(s->httpd), *s->config.tls_cert,
		url);
	printf("kernsiftd: listening on %s\n", url);
	fflush(stdout);
}

static void serve_close_all(struct serve_state *s)
{
	background_tasks_free(s->background);
	if (s->httpd)
		httpd_drain(s->httpd, s->config.drain_s);
	worker_pool_free(s->worker_pool);
	if (s->httpd)
		httpd_free(s->httpd);
	if (s->api)
		api_free(s->api);
	if (s->pool)
		db_pool_free(s->pool);
	command_store_release(&s->store, false);
	arena_release(&s->arena);
}

int command_serve(const struct invocation *in)
{
	struct err e = { 0 };
	struct serve_state s = { .config = *in->config };
	sigset_t all;

	signal(SIGPIPE, SIG_IGN);
	/* Before the first thread exists, a signal ends this process and its
	 * PostgreSQL. Afterwards only this thread receives signals. */
	bool ok = serve_check(&s.config, &e) &&
		  outward_list(s.config.webhook_private, &e) &&
		  serve_open_database(&s, &e) && serve_check_exposure(&s, &e);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	ok = ok && serve_open_http(&s, &e) && serve_open_workers(&s, in, &e) &&
	     (s.background = background_tasks_new(&s.config, s.store.conninfo,
		      &e));
	if (ok) {
		s.sweep_idle_s = serve_slowest_chunk_s(&s.config);
		serve_report_ready(&s);
		serve_run(&s);
	}
	serve_close_all(&s);
	return ok ? 0 : command_fail(&e);
}
