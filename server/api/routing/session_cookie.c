/* session_cookie.c - one name, one value, one line. */
#include "session_cookie.h"
#include "api_state.h"
#include "query.h"
#include "token.h"
#include <netinet/in.h>
#include <string.h>
#include <time.h>

enum { COOKIE_NAME = 32 };

static int session_cookie_port_of(const struct sockaddr *sa)
{
	struct sockaddr_in in4;
	struct sockaddr_in6 in6;
	if (sa && sa->sa_family == AF_INET6) {
		memcpy(&in6, sa, sizeof in6);
		return ntohs(in6.sin6_port);
	}
	if (!sa || sa->sa_family != AF_INET)
		return 0;
	memcpy(&in4, sa, sizeof in4);
	return ntohs(in4.sin_port);
}

static size_t session_cookie_name_of(const struct call *c,
	char out[COOKIE_NAME])
{
	return (size_t)snprintf(out, COOKIE_NAME, "%skernsift_%d",
		c->api->is.tls ? "__Host-" : "",
		session_cookie_port_of(c->request->local));
}

const char *session_cookie_read(struct call *c)
{
	const char *at = c->request->header(c->request->ctx, "Cookie");
	char name[COOKIE_NAME];
	size_t len = session_cookie_name_of(c, name);
	while (at && *at) {
		at += strspn(at, "; \t");
		size_t n = strcspn(at, ";");
		if (n > len && at[len] == '=' && !strncmp(at, name, len))
			return arena_strndup(&c->s.arena, at + len + 1,
				n - len - 1);
		at += n;
	}
	return NULL;
}

static void session_cookie_put(struct call *c, const char *value,
	const char *age)
{
	char name[COOKIE_NAME];
	session_cookie_name_of(c, name);
	snprintf(c->cookie, sizeof c->cookie,
		"%s=%s; Path=/; HttpOnly; SameSite=Strict%s%s", name, value,
		age, c->api->is.tls ? "; Secure" : "");
}

void session_cookie_set(struct call *c, const char *token, int64_t expires)
{
	char age[40] = "";
	if (expires != NO_MOMENT)
		snprintf(age, sizeof age, "; Max-Age=%lld",
			(long long)(expires / 1000000 - time(NULL)));
	session_cookie_put(c, token, age);
}

void session_cookie_clear(struct call *c)
{
	session_cookie_put(c, "", "; Max-Age=0");
}
