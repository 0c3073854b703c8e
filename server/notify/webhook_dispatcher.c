/* webhook_dispatcher.c - claims due deliveries, sends them and records their
 * results. Each request has a libcurl easy handle; one multi handle runs them
 * all. */
#include "webhook_dispatcher.h"
#include "clock.h"
#include "conn_cancel.h"
#include "hmac_sha256.h"
#include "log.h"
#include "outward.h"
#include "utf8.h"
#include "web_url.h"
#include "webhook.h"
#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

/* New events are noticed at once. Retries that are due are looked for at this
 * interval. */
enum { LOOK_MS = 5000, AWAY_MS = 1000 };
/* AT_ONCE is the maximum number of simultaneous requests. At most SLOW_PLACES
 * of them go to webhooks that are new or whose last request took longer than
 * SLOW_MS. */
enum { AT_ONCE = 16, SLOW_PLACES = 4, SLOW_MS = 2000 };
enum { CONNECT_S = 5, REQUEST_S = 10 };
enum { HEAD_MAX = 1 << 16, BODY_MAX = 1 << 16, LINE = 300, WHY_MAX = 300 };

/* One request that is in progress, or whose result is not recorded yet. */
struct webhook_parcel {
	CURL *curl; /* NULL: this entry is free */
	struct curl_slist *headers;
	const char *list;
	char *body;
	int64_t id, webhook;
	int tries;
	bool slow, ended;
	CURLcode rc; /* the result, if it ended */
	size_t head, answer; /* number of bytes received */
	/* a complete header block arrived that is not an interim one */
	bool headed;
	struct web_url url;
	struct err refused; /* set if the address was not allowed */
	char why[CURL_ERROR_SIZE];
};

struct webhook_dispatcher {
	const char *conninfo, *list;
	CURLM *multi;
	struct conn_cancel cancel;
	pthread_t thread;
	atomic_bool stop;
	/* used only by the thread */
	struct webhook_parcel parcels[AT_ONCE];
	struct db *db;
	int64_t look_at_ms;
	bool away; /* the database is unreachable, and this is logged */
};

/* The result of a request. */
struct webhook_sent {
	int64_t id;
	int tries;
	bool slow; /* it took longer than SLOW_MS */
	int status; /* status of the answer; -1: there was no answer */
	char why[WHY_MAX]; /* the reason if there was no answer; text */
};

static void webhook_dispatcher_drop(struct webhook_dispatcher *c,
	struct webhook_parcel *p)
{
	curl_multi_remove_handle(c->multi, p->curl);
	curl_easy_cleanup(p->curl);
	curl_slist_free_all(p->headers);
	free(p->body);
	*p = (struct webhook_parcel){ 0 };
}

/* Decides whether the address may be called; no other code does. The check is
 * reliable because it sees the very address that the socket connects to,
 * whatever the name resolved to. */
static curl_socket_t webhook_dispatcher_on_socket(void *ctx, curlsocktype what,
	struct curl_sockaddr *to)
{
	struct webhook_parcel *p = ctx;
	struct err why = { 0 };
	if (what != CURLSOCKTYPE_IPCXN)
		return CURL_SOCKET_BAD;
	if (!outward_may(p->list, p->url.host, &to->addr, &why)) {
		/* The address is written only to the log, for the operator of
		 * the server. An admin of a project must not learn how names
		 * resolve in the server's network. */
		log_info("webhook delivery=%lld: %s", (long long)p->id,
			why.text);
		err_set(&p->refused, why.code,
			"'%.100s' leads to no public address; see "
			"--webhook-private",
			p->url.host);
		return CURL_SOCKET_BAD;
	}
	return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

static long webhook_dispatcher_status_of(const struct webhook_parcel *p)
{
	long status = 0;
	curl_easy_getinfo(p->curl, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

static size_t webhook_dispatcher_on_head(char *from, size_t size, size_t n,
	void *ctx)
{
	struct webhook_parcel *p = ctx;
	p->head += size * n;
	/* Once set, this stays set, because this callback also gets the lines
	 * of a trailer. */
	if (size * n <= 2 && (*from == '\r' || *from == '\n'))
		p->headed |= webhook_dispatcher_status_of(p) >= 200;
	return p->head <= HEAD_MAX ? size * n : 0;
}

static size_t webhook_dispatcher_on_answer(char *from, size_t size, size_t n,
	void *ctx)
{
	struct webhook_parcel *p = ctx;
	(void)from;
	p->answer += size * n;
	return p->answer <= BODY_MAX ? size * n : 0;
}

static void webhook_dispatcher_header(struct webhook_parcel *p,
	const char *name, const char *value)
{
	char line[2 * LINE]; /* long enough for the name, too */
	snprintf(line, sizeof line, "%s: %s", name, value);
	p->headers = curl_slist_append(p->headers, line);
}

static void webhook_dispatcher_sign(struct webhook_parcel *p,
	const struct delivery *d)
{
	char at[24], hex[SHA256_HEX], value[sizeof at + sizeof hex + 8];
	uint8_t digest[SHA256_BYTES];
	snprintf(at, sizeof at, "%lld", (long long)time(NULL));
	const struct hmac_part parts[] = { { at, strlen(at) }, { ".", 1 },
		{ d->body, strlen(d->body) } };
	hmac_sha256(d->secret, sizeof d->secret, parts, 3, digest);
	sha256_hex(digest, hex);
	snprintf(value, sizeof value, "t=%s,v1=%s", at, hex);
	webhook_dispatcher_header(p, "Kernsift-Signature", value);
}

static void webhook_dispatcher_address_it(struct webhook_parcel *p,
	const struct delivery *d)
{
	char id[24];
	snprintf(id, sizeof id, "%lld", (long long)d->id);
	webhook_dispatcher_header(p, "Content-Type", "application/json");
	webhook_dispatcher_header(p, "Kernsift-Event", d->event);
	webhook_dispatcher_header(p, "Kernsift-Delivery", id);
	webhook_dispatcher_sign(p, d);
	/* without this, libcurl would first request permission to send a long
	 * body */
	p->headers = curl_slist_append(p->headers, "Expect:");
}

static void webhook_dispatcher_set_up(struct webhook_parcel *p, const char *url)
{
	CURL *c = p->curl;
	curl_easy_setopt(c, CURLOPT_URL, url);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
	/* No proxy, because a proxy would connect to any address on behalf of
	 * the server. */
	curl_easy_setopt(c, CURLOPT_PROXY, "");
	curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION,
		webhook_dispatcher_on_socket);
	curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, p);
	curl_easy_setopt(c, CURLOPT_FRESH_CONNECT, 1L);
	curl_easy_setopt(c, CURLOPT_FORBID_REUSE, 1L);
	curl_easy_setopt(c, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(c, CURLOPT_USERAGENT, "kernsift/" KERNSIFT_VERSION);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	/* Without this, a slow name lookup would delay all other requests. */
	curl_easy_setopt(c, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	curl_easy_setopt(c, CURLOPT_TIMEOUT, (long)REQUEST_S);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, p->why);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, webhook_dispatcher_on_head);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, p);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION,
		webhook_dispatcher_on_answer);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, p);
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, p->headers);
	curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE,
		(curl_off_t)strlen(p->body));
	curl_easy_setopt(c, CURLOPT_POSTFIELDS, p->body);
	curl_easy_setopt(c, CURLOPT_PRIVATE, p);
}

/* Starts a request; copies what the request needs from the delivery. Must not
 * be called while AT_ONCE requests are in progress. */
static void webhook_dispatcher_send(struct webhook_dispatcher *c,
	const struct delivery *d)
{
	struct webhook_parcel *p = c->parcels;
	while (p->curl)
		p++;
	*p = (struct webhook_parcel){ .list = c->list,
		.id = d->id,
		.webhook = d->webhook,
		.tries = d->tries,
		.slow = d->slow };
	p->body = strdup(d->body);
	p->curl = curl_easy_init();
	if (!p->body || !p->curl)
		abort();
	/* The URL was accepted when the webhook was created. If it is no longer
	 * allowed, no request is sent. */
	if (!web_url_read(d->url, &p->url, &p->refused))
		p->url.host[0] = '\0';
	webhook_dispatcher_address_it(p, d);
	webhook_dispatcher_set_up(p, *p->url.host ? d->url : "");
	if (curl_multi_add_handle(c->multi, p->curl) != CURLM_OK)
		abort();
}

/* Lists the webhooks of requests that are in progress or whose result is not
 * recorded yet; returns their number. */
static int webhook_dispatcher_busy(const struct webhook_dispatcher *c,
	int64_t webhooks[AT_ONCE])
{
	int n = 0;
	for (int i = 0; i < AT_ONCE; i++)
		if (c->parcels[i].curl)
			webhooks[n++] = c->parcels[i].webhook;
	return n;
}

/* The number of requests to webhooks that were slow when the request was sent
 * (webhook.h). */
static int webhook_dispatcher_slow(const struct webhook_dispatcher *c)
{
	int n = 0;
	for (int i = 0; i < AT_ONCE; i++)
		n += c->parcels[i].curl && c->parcels[i].slow;
	return n;
}

static void webhook_dispatcher_turn(struct webhook_dispatcher *c)
{
	int running;
	curl_multi_perform(c->multi, &running);
}

/* Waits until a request can proceed, `fd` can be read (-1: no fd), `ms` have
 * passed, or another thread wakes this one. */
static void webhook_dispatcher_wait(struct webhook_dispatcher *c, int fd,
	int ms)
{
	struct curl_waitfd extra = { .fd = fd, .events = CURL_WAIT_POLLIN };
	curl_multi_poll(c->multi, &extra, fd >= 0, ms, NULL);
}

static void webhook_dispatcher_result(struct webhook_parcel *p,
	struct webhook_sent *out)
{
	curl_off_t us = 0;
	curl_easy_getinfo(p->curl, CURLINFO_TOTAL_TIME_T, &us);
	*out = (struct webhook_sent){ .id = p->id,
		.tries = p->tries,
		.slow = us > SLOW_MS * INT64_C(1000),
		.status = -1 };
	if (p->headed) {
		out->status = (int)webhook_dispatcher_status_of(p);
		return;
	}
	char clean[3 * CURL_ERROR_SIZE + 1];
	const char *why = p->refused.code ? p->refused.text
			  : *p->why	  ? p->why
					  : curl_easy_strerror(p->rc);
	size_t len = strlen(why);
	if (len > CURL_ERROR_SIZE)
		len = CURL_ERROR_SIZE;
	len = utf8_sanitize(clean, why, len);
	len = utf8_clip(clean, len, WHY_MAX - 1);
	memcpy(out->why, clean, len);
}

/* Returns a request that has ended and whose result is not recorded yet; false
 * if there is none. Returns the same request again until its result is
 * recorded. */
static bool webhook_dispatcher_next(struct webhook_dispatcher *c,
	struct webhook_sent *out)
{
	int left;
	struct CURLMsg *m;
	while ((m = curl_multi_info_read(c->multi, &left))) {
		struct webhook_parcel *p = NULL;
		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &p);
		p->rc = m->data.result;
		p->ended = true;
	}
	for (int i = 0; i < AT_ONCE; i++)
		if (c->parcels[i].ended) {
			webhook_dispatcher_result(&c->parcels[i], out);
			return true;
		}
	return false;
}

static void webhook_dispatcher_settled(struct webhook_dispatcher *c,
	const struct webhook_sent *sent)
{
	for (int i = 0; i < AT_ONCE; i++)
		if (c->parcels[i].ended && c->parcels[i].id == sent->id)
			webhook_dispatcher_drop(c, &c->parcels[i]);
}

/* A status from 200 to 299 means that the event was received. 410 means that
 * the receiver wants no more events. */
static bool webhook_dispatcher_settle_one(struct webhook_dispatcher *c,
	const struct webhook_sent *s, struct err *e)
{
	char text[WHY_MAX];
	const char *error = s->why;
	enum delivery_end how = s->status >= 200 && s->status < 300
					? DELIVERY_DONE
				: s->status == 410 ? DELIVERY_GONE
						   : DELIVERY_LATER;
	if (s->status >= 300 && s->status < 400)
		snprintf(text, sizeof text,
			"the receiver answers %d; redirects are not followed",
			s->status);
	else if (how == DELIVERY_GONE)
		snprintf(text, sizeof text,
			"the receiver answers 410: it wants no more");
	else
		snprintf(text, sizeof text, "the receiver answers %d",
			s->status);
	if (s->status >= 0)
		error = text;
	if (how == DELIVERY_DONE)
		error = NULL;
	else
		log_info("webhook delivery=%lld try=%d: %s", (long long)s->id,
			s->tries, error);
	return delivery_end(c->db, s->id, s->tries, how, s->slow, s->status,
		error, e);
}

static bool webhook_dispatcher_settle(struct webhook_dispatcher *c, bool *any,
	struct err *e)
{
	struct webhook_sent s;
	bool ok = true;
	for (*any = false; ok && webhook_dispatcher_next(c, &s); *any = true) {
		ok = webhook_dispatcher_settle_one(c, &s, e);
		if (ok)
			webhook_dispatcher_settled(c, &s);
	}
	return ok;
}

static bool webhook_dispatcher_claim(struct webhook_dispatcher *c, bool *any,
	struct err *e)
{
	struct arena a = { 0 };
	struct delivery *rows;
	int64_t busy[AT_ONCE];
	int busy_n = webhook_dispatcher_busy(c, busy);
	int room = AT_ONCE - busy_n;
	int slow = SLOW_PLACES - webhook_dispatcher_slow(c);
	uint32_t n = 0;
	bool ok = !room || delivery_claim(c->db, &a, busy, busy_n, room,
				   slow > 0 ? slow : 0, &rows, &n, e);
	for (uint32_t i = 0; ok && i < n; i++)
		webhook_dispatcher_send(c, &rows[i]);
	*any = n > 0;
	c->look_at_ms = clock_ms() + LOOK_MS;
	arena_release(&a);
	return ok;
}

static bool webhook_dispatcher_connected(struct webhook_dispatcher *c,
	struct err *e)
{
	if (!c->db) {
		c->db = db_new(c->conninfo, e);
		c->look_at_ms = 0;
	}
	return c->db && conn_cancel_attach(&c->cancel, c->db, e) &&
	       (c->look_at_ms || delivery_listen(c->db, e));
}

/* Records results, claims due deliveries, then waits. If it claimed any
 * deliveries, it returns without waiting so that they are started first: a
 * request that fails at once would not end the wait. */
static bool webhook_dispatcher_tend(struct webhook_dispatcher *c, struct err *e)
{
	bool ended, notified, taken = false;
	webhook_dispatcher_turn(c);
	if (!webhook_dispatcher_connected(c, e) ||
		!webhook_dispatcher_settle(c, &ended, e) ||
		!db_notified(c->db, &notified, e))
		return false;
	if ((ended || notified || clock_ms() >= c->look_at_ms) &&
		!webhook_dispatcher_claim(c, &taken, e))
		return false;
	if (!taken)
		webhook_dispatcher_wait(c, db_socket(c->db), LOOK_MS);
	return true;
}

static void webhook_dispatcher_part(struct webhook_dispatcher *c)
{
	conn_cancel_detach(&c->cancel);
	db_free(c->db);
	c->db = NULL;
}

static void *webhook_dispatcher_run(void *arg)
{
	struct webhook_dispatcher *c = arg;
	while (!atomic_load(&c->stop)) {
		struct err e = { 0 };
		bool ok = webhook_dispatcher_tend(c, &e);
		if (!ok && !c->away && !atomic_load(&c->stop))
			log_warn("webhooks wait for the database: %s", e.text);
		c->away = !ok;
		if (!ok) {
			webhook_dispatcher_part(c);
			webhook_dispatcher_wait(c, -1, AWAY_MS);
		}
	}
	webhook_dispatcher_part(c);
	return NULL;
}

static void webhook_dispatcher_release(struct webhook_dispatcher *c)
{
	for (int i = 0; i < AT_ONCE; i++)
		if (c->parcels[i].curl)
			webhook_dispatcher_drop(c, &c->parcels[i]);
	curl_multi_cleanup(c->multi);
	curl_global_cleanup();
	conn_cancel_release(&c->cancel);
	free(c);
}

struct webhook_dispatcher *webhook_dispatcher_new(const char *conninfo,
	const char *list, struct err *e)
{
	struct webhook_dispatcher *c = calloc(1, sizeof *c);
	if (!c)
		abort();
	c->conninfo = conninfo;
	c->list = list;
	conn_cancel_init(&c->cancel);
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
		!(c->multi = curl_multi_init()))
		err_set(e, ERR_INTERNAL, "libcurl does not start");
	else if (!pthread_create(&c->thread, NULL, webhook_dispatcher_run, c))
		return c;
	err_set(e, ERR_INTERNAL, "the system gives no thread for webhooks");
	webhook_dispatcher_release(c);
	return NULL;
}

void webhook_dispatcher_free(struct webhook_dispatcher *c)
{
	if (!c)
		return;
	atomic_store(&c->stop, true);
	conn_cancel_now(&c->cancel);
	curl_multi_wakeup(c->multi);
	pthread_join(c->thread, NULL);
	webhook_dispatcher_release(c);
}
