/* webhook_sender.c - a handle of libcurl's a request, all in one multi handle. */
#include "webhook_sender.h"
#include "hmac_sha256.h"
#include "log.h"
#include "outward.h"
#include "utf8.h"
#include "web_url.h"
#include <curl/curl.h>
#include <sys/socket.h>

enum { CONNECT_S = 5, HEAD_MAX = 1 << 16, BODY_MAX = 1 << 16, LINE = 300 };

struct webhook_sender_parcel {
	CURL *curl; /* NULL: the place is free */
	struct curl_slist *headers;
	const char *list;
	char *body;
	int64_t id, webhook;
	int tries;
	bool slow, ended;
	CURLcode rc; /* then */
	size_t head, answer; /* bytes that came */
	bool headed; /* all of a head did that is no interim one */
	struct web_url url;
	struct err refused; /* an address was */
	char why[CURL_ERROR_SIZE];
};

struct webhook_sender {
	CURLM *multi;
	const char *list;
	struct webhook_sender_parcel parcels[WEBHOOK_SENDER_AT_ONCE];
};

struct webhook_sender *webhook_sender_new(const char *list, struct err *e)
{
	struct webhook_sender *s = calloc(1, sizeof *s);
	if (!s)
		abort();
	s->list = list;
	if (curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK &&
		(s->multi = curl_multi_init()))
		return s;
	free(s);
	err_set(e, ERR_INTERNAL, "libcurl does not start");
	return NULL;
}

static void webhook_sender_drop(struct webhook_sender *s,
	struct webhook_sender_parcel *p)
{
	curl_multi_remove_handle(s->multi, p->curl);
	curl_easy_cleanup(p->curl);
	curl_slist_free_all(p->headers);
	free(p->body);
	*p = (struct webhook_sender_parcel){ 0 };
}

void webhook_sender_free(struct webhook_sender *s)
{
	if (!s)
		return;
	for (int i = 0; i < WEBHOOK_SENDER_AT_ONCE; i++)
		if (s->parcels[i].curl)
			webhook_sender_drop(s, &s->parcels[i]);
	curl_multi_cleanup(s->multi);
	curl_global_cleanup();
	free(s);
}

/* The only place that decides on an address: whatever the name resolved to,
 * this address is connected to. */
static curl_socket_t webhook_sender_on_socket(void *ctx, curlsocktype what,
	struct curl_sockaddr *to)
{
	struct webhook_sender_parcel *p = ctx;
	struct err why = { 0 };
	if (what != CURLSOCKTYPE_IPCXN)
		return CURL_SOCKET_BAD;
	if (!outward_may(p->list, p->url.host, &to->addr, &why)) {
		/* Its address is for who runs the server: what names mean
		 * inside is no business of a project's admin. */
		log_info("webhook delivery=%lld: %s", (long long)p->id,
			why.text);
		err_set(&p->refused, why.code,
			"'%.100s' leads to no public address; see "
			"--webhook_private",
			p->url.host);
		return CURL_SOCKET_BAD;
	}
	return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

static long webhook_sender_status_of(const struct webhook_sender_parcel *p)
{
	long status = 0;
	curl_easy_getinfo(p->curl, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

static size_t webhook_sender_on_head(char *from, size_t size, size_t n,
	void *ctx)
{
	struct webhook_sender_parcel *p = ctx;
	p->head += size * n;
	/* Once is enough: lines of a trailer come here as well. */
	if (size * n <= 2 && (*from == '\r' || *from == '\n'))
		p->headed |= webhook_sender_status_of(p) >= 200;
	return p->head <= HEAD_MAX ? size * n : 0;
}

static size_t webhook_sender_on_answer(char *from, size_t size, size_t n,
	void *ctx)
{
	struct webhook_sender_parcel *p = ctx;
	(void)from;
	p->answer += size * n;
	return p->answer <= BODY_MAX ? size * n : 0;
}

static void webhook_sender_header(struct webhook_sender_parcel *p,
	const char *name, const char *value)
{
	char line[2 * LINE]; /* the name has room, too */
	snprintf(line, sizeof line, "%s: %s", name, value);
	p->headers = curl_slist_append(p->headers, line);
}

static void webhook_sender_sign(struct webhook_sender_parcel *p,
	const struct delivery *d)
{
	char at[24], hex[SHA256_HEX], value[sizeof at + sizeof hex + 8];
	uint8_t digest[SHA256_BYTES];
	snprintf(at, sizeof at, "%lld", (long long)time(NULL));
	const struct hmac_piece pieces[] = { { at, strlen(at) }, { ".", 1 },
		{ d->body, strlen(d->body) } };
	hmac_sha256(d->secret, sizeof d->secret, pieces, 3, digest);
	sha256_hex(digest, hex);
	snprintf(value, sizeof value, "t=%s,v1=%s", at, hex);
	webhook_sender_header(p, "Kernsift-Signature", value);
}

static void webhook_sender_address_it(struct webhook_sender_parcel *p,
	const struct delivery *d)
{
	char id[24];
	snprintf(id, sizeof id, "%lld", (long long)d->id);
	webhook_sender_header(p, "Content-Type", "application/json");
	webhook_sender_header(p, "Kernsift-Event", d->event);
	webhook_sender_header(p, "Kernsift-Delivery", id);
	webhook_sender_sign(p, d);
	/* or libcurl first requests permission to send a long body */
	p->headers = curl_slist_append(p->headers, "Expect:");
}

static void webhook_sender_set_up(struct webhook_sender_parcel *p,
	const char *url)
{
	CURL *c = p->curl;
	curl_easy_setopt(c, CURLOPT_URL, url);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
	/* A proxy would connect on behalf of the server, to any address. */
	curl_easy_setopt(c, CURLOPT_PROXY, "");
	curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION,
		webhook_sender_on_socket);
	curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, p);
	curl_easy_setopt(c, CURLOPT_FRESH_CONNECT, 1L);
	curl_easy_setopt(c, CURLOPT_FORBID_REUSE, 1L);
	curl_easy_setopt(c, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(c, CURLOPT_USERAGENT, "kernsift/" KERNSIFT_VERSION);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	/* Else a name that is looked up for long would hold all others up. */
	curl_easy_setopt(c, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	curl_easy_setopt(c, CURLOPT_TIMEOUT, (long)WEBHOOK_SENDER_S);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, p->why);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, webhook_sender_on_head);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, p);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, webhook_sender_on_answer);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, p);
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, p->headers);
	curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE,
		(curl_off_t)strlen(p->body));
	curl_easy_setopt(c, CURLOPT_POSTFIELDS, p->body);
	curl_easy_setopt(c, CURLOPT_PRIVATE, p);
}

void webhook_sender_send(struct webhook_sender *s, const struct delivery *d)
{
	struct webhook_sender_parcel *p = s->parcels;
	while (p->curl)
		p++;
	*p = (struct webhook_sender_parcel){ .list = s->list,
		.id = d->id,
		.webhook = d->webhook,
		.tries = d->tries,
		.slow = d->slow };
	p->body = strdup(d->body);
	p->curl = curl_easy_init();
	if (!p->body || !p->curl)
		abort();
	/* The URL was accepted when the webhook was created; if it is no
	 * longer allowed, no request is sent. */
	if (!web_url_read(d->url, &p->url, &p->refused))
		p->url.host[0] = '\0';
	webhook_sender_address_it(p, d);
	webhook_sender_set_up(p, *p->url.host ? d->url : "");
	if (curl_multi_add_handle(s->multi, p->curl) != CURLM_OK)
		abort();
}

int webhook_sender_busy(const struct webhook_sender *s,
	int64_t webhooks[WEBHOOK_SENDER_AT_ONCE])
{
	int n = 0;
	for (int i = 0; i < WEBHOOK_SENDER_AT_ONCE; i++)
		if (s->parcels[i].curl)
			webhooks[n++] = s->parcels[i].webhook;
	return n;
}

int webhook_sender_slow(const struct webhook_sender *s)
{
	int n = 0;
	for (int i = 0; i < WEBHOOK_SENDER_AT_ONCE; i++)
		n += s->parcels[i].curl && s->parcels[i].slow;
	return n;
}

void webhook_sender_turn(struct webhook_sender *s)
{
	int running;
	curl_multi_perform(s->multi, &running);
}

void webhook_sender_wait(struct webhook_sender *s, int fd, int ms)
{
	struct curl_waitfd extra = { .fd = fd, .events = CURL_WAIT_POLLIN };
	curl_multi_poll(s->multi, &extra, fd >= 0, ms, NULL);
}

void webhook_sender_wake(struct webhook_sender *s)
{
	curl_multi_wakeup(s->multi);
}

static void webhook_sender_tell(struct webhook_sender_parcel *p,
	struct webhook_sent *out)
{
	curl_off_t us = 0;
	curl_easy_getinfo(p->curl, CURLINFO_TOTAL_TIME_T, &us);
	*out = (struct webhook_sent){ .id = p->id,
		.tries = p->tries,
		.slow = us > WEBHOOK_SENDER_SLOW_MS * INT64_C(1000),
		.status = -1 };
	if (p->headed) {
		out->status = (int)webhook_sender_status_of(p);
		return;
	}
	char mended[3 * CURL_ERROR_SIZE + 1];
	const char *why = p->refused.code ? p->refused.text
			  : *p->why	  ? p->why
					  : curl_easy_strerror(p->rc);
	size_t len = strlen(why);
	if (len > CURL_ERROR_SIZE)
		len = CURL_ERROR_SIZE;
	len = utf8_mend(mended, why, len);
	len = utf8_clip(mended, len, WEBHOOK_SENDER_WHY - 1);
	memcpy(out->why, mended, len);
}

bool webhook_sender_next(struct webhook_sender *s, struct webhook_sent *out)
{
	int left;
	struct CURLMsg *m;
	while ((m = curl_multi_info_read(s->multi, &left))) {
		struct webhook_sender_parcel *p = NULL;
		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &p);
		p->rc = m->data.result;
		p->ended = true;
	}
	for (int i = 0; i < WEBHOOK_SENDER_AT_ONCE; i++)
		if (s->parcels[i].ended) {
			webhook_sender_tell(&s->parcels[i], out);
			return true;
		}
	return false;
}

void webhook_sender_settled(struct webhook_sender *s,
	const struct webhook_sent *sent)
{
	for (int i = 0; i < WEBHOOK_SENDER_AT_ONCE; i++)
		if (s->parcels[i].ended && s->parcels[i].id == sent->id)
			webhook_sender_drop(s, &s->parcels[i]);
}
