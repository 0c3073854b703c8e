/* serve.c - the server: opened in order, watched, closed in reverse. */
#include "origin.h"
#include "api.h"
#include "chores.h"
#include "command.h"
#include "crew.h"
#include "httpd.h"
#include "log.h"
#include "outward.h"
#include "token.h"
#include "upload.h"
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 100, SWEEP_S = 30, SLACK_S = 60, DAY_S = 86400 };

struct server {
	struct config config;
	struct arena arena;
	struct store store;
	struct db_pool *pool;
	struct api *api;
	struct httpd *httpd;
	struct worker_options workers;
	struct crew *crew;
	struct chores *chores;
	int sweep_idle_s;
	time_t sweep_at;
};

static time_t now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* Whoever can reach us must be somebody we can tell. */
static bool guard(struct server *s, struct err *e)
{
	const struct config *c = &s->config;
	bool any;
	if (!origin_is_loopback(c->listen) && !*c->tls_cert && !c->proxy_tls)
		log_warn("serve listens on '%.80s' without TLS: whoever is on "
			 "the way reads tokens and traces; see --tls_cert and "
			 "--proxy_tls",
			c->listen);
	if (c->without_tokens || origin_is_loopback(c->listen))
		return true;
	if (!token_any(s->store.db, &any, e))
		return false;
	return any || err_set(e, ERR_INPUT,
			      "'%.80s' can be reached from outside, and there "
			      "is no token; "
			      "make one with 'kernsiftd token', or give "
			      "--without_tokens",
			      c->listen);
}

static bool open_database(struct server *s, struct err *e)
{
	int applied;
	int64_t working = 0, receiving = 0;
	if (!command_store(&s->store, &s->config, CLUSTER_SERVE, e) ||
		!command_migrated(s->store.db, &applied, e))
		return false;
	if (applied)
		log_info("migrate applied=%d", applied);
	/* Nobody sends or works through a PostgreSQL that was started just
	 * now: what looks like it was left by a crash, and need not wait. */
	struct err why = { 0 };
	if (s->store.cluster && !upload_release_all(s->store.db, &working, e))
		return false;
	if (s->store.cluster &&
		!upload_expire_all(s->store.db, &receiving, &why))
		log_warn("serve sweeps later: %s", why.text);
	if (working || receiving)
		log_info("serve left_by_crash working=%lld receiving=%lld",
			(long long)working, (long long)receiving);
	return true;
}

/* Before what writes uploads away and what ingests them: those who ask wait
 * for the answer. A courtesy of kernels that group tasks by session, and to
 * root only. */
static void priority_raise(void)
{
	int fd = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (write(fd, "-10", 3) < 0)
		log_debug("serve autogroup refused");
	close(fd);
}

static bool open_door(struct server *s, struct err *e)
{
	const struct config *c = &s->config;
	priority_raise();
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
	};
	s->api = api_new(&api, e);
	if (!s->api)
		return false;
	const struct httpd_options httpd = {
		.listen = c->listen,
		.tls_cert = c->tls_cert,
		.tls_key = c->tls_key,
		.web = *c->web ? c->web : NULL,
		.threads = c->http_threads,
		.writers = c->writers,
		.connections = c->connections,
		.idle_s = c->idle_s,
		.upload_min_rate = (int64_t)c->upload_min_kib << 10,
	};
	s->httpd = httpd_new(s->api, &httpd, e);
	return s->httpd != NULL;
}

static bool open_crew(struct server *s, int argc, char **argv, struct err *e)
{
	s->workers = command_workers(&s->config, s->store.conninfo);
	s->crew = crew_new(&s->workers,
		command_worker_argv(&s->arena, argc, argv, &s->store), e);
	return s->crew != NULL;
}

/* An upload that is still arriving shows it once a chunk, which at the least
 * rate tolerated takes this long. */
static int slowest_chunk_s(const struct config *c)
{
	if (c->upload_min_kib == 0)
		return DAY_S;
	return (UPLOAD_CHUNK >> 10) / c->upload_min_kib + c->idle_s + SLACK_S;
}

static void sweep(struct server *s)
{
	struct err e = { 0 };
	int64_t swept = 0;
	bool more = false;
	if (now_s() < s->sweep_at)
		return;
	if (!db_revive(s->store.db, &e) ||
		!upload_sweep(s->store.db, s->sweep_idle_s, &swept, &more, &e))
		log_warn("sweep: %s", e.text);
	/* After a failure not at once again. */
	s->sweep_at = now_s() + (more && !e.code ? 0 : SWEEP_S);
	if (swept)
		log_info("sweep uploads=%lld", (long long)swept);
}

static void run(struct server *s)
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
			return;
		}
		if (s->store.cluster)
			cluster_tend(s->store.cluster);
		crew_tend(s->crew);
		sweep(s);
	}
}

static void tell_ready(const struct server *s)
{
	char url[ORIGIN_URL];
	origin_url(s->config.listen, httpd_port(s->httpd), *s->config.tls_cert,
		url);
	printf("kernsiftd: listening on %s\n", url);
	fflush(stdout);
}

static void close_all(struct server *s)
{
	chores_free(s->chores);
	if (s->httpd)
		httpd_drain(s->httpd, s->config.drain_s);
	crew_free(s->crew);
	if (s->httpd)
		httpd_free(s->httpd);
	if (s->api)
		api_free(s->api);
	if (s->pool)
		db_pool_free(s->pool);
	command_store_release(&s->store);
	arena_release(&s->arena);
}

int command_serve(int argc, char **argv)
{
	struct err e = { 0 };
	struct server s = { 0 };
	sigset_t all;

	signal(SIGPIPE, SIG_IGN);
	/* Until the first thread is made a signal ends us as ever, and
	 * PostgreSQL with us; from then on only this thread takes them. */
	bool ok = command_config(&s.config, NULL, argc, argv, &e) &&
		  outward_list(s.config.webhook_private, &e) &&
		  open_database(&s, &e) && guard(&s, &e);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	ok = ok && open_door(&s, &e) && open_crew(&s, argc, argv, &e) &&
	     (s.chores = chores_new(&s.config, s.store.conninfo, &e));
	if (ok) {
		s.sweep_idle_s = slowest_chunk_s(&s.config);
		tell_ready(&s);
		run(&s);
	}
	close_all(&s);
	return ok ? 0 : command_fail(&e);
}
