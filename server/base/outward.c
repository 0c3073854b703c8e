/* outward.c - compares addresses with networks; both are 16 bytes, with IPv4
 * mapped to IPv6. */
#include "outward.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ADDRESS = 16, V4_AT = 12, V4_BITS = 96, WORD = 300, SHOWN = 100 };

struct network {
	struct in6_addr at;
	int bits;
};

static void outward_from_v4(const void *four, struct in6_addr *out)
{
	*out = (struct in6_addr){ 0 };
	out->s6_addr[10] = out->s6_addr[11] = 0xff;
	memcpy(out->s6_addr + V4_AT, four, 4);
}

static bool outward_inside(const struct in6_addr *a, const struct network *n)
{
	int whole = n->bits / 8, rest = n->bits % 8;
	if (memcmp(a->s6_addr, n->at.s6_addr, (size_t)whole) != 0)
		return false;
	unsigned mask = 0xff00u >> rest & 0xff;
	return !rest || !((a->s6_addr[whole] ^ n->at.s6_addr[whole]) & mask);
}

/* Parses an address, or a network if a slash and a number of bits follow. */
static bool outward_network_from(const char *text, struct network *out)
{
	char at[WORD], *end;
	struct in_addr v4;
	size_t len = strcspn(text, "/");
	if (len >= sizeof at)
		return false;
	memcpy(at, text, len);
	at[len] = '\0';
	bool four = inet_pton(AF_INET, at, &v4) == 1;
	if (four)
		outward_from_v4(&v4, &out->at);
	else if (inet_pton(AF_INET6, at, &out->at) != 1)
		return false;
	int most = four ? 32 : 128;
	out->bits = 128;
	if (!text[len])
		return true;
	long bits = strtol(text + len + 1, &end, 10);
	if (!strspn(text + len + 1, "0123456789") || *end || bits > most)
		return false;
	out->bits = (int)bits + 128 - most;
	return true;
}

/* Whether an address is a public address of the internet. Not public are the
 * special-purpose registries of IANA and, for IPv6, all ranges that IANA has
 * never assigned. */
static bool outward_is_public(const struct in6_addr *a)
{
	static const char *const v4_not[] = { "0.0.0.0/8", "10.0.0.0/8",
		"100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
		"172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
		"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3" };
	static const char *const v6_not[] = { "2001::/23", "2001:db8::/32",
		"2002::/16", "3fff::/20" };
	bool four = IN6_IS_ADDR_V4MAPPED(a);
	const char *const *list = four ? v4_not : v6_not;
	size_t n = four ? sizeof v4_not / sizeof *v4_not
			: sizeof v6_not / sizeof *v6_not;
	struct network net;
	if (!four && (!outward_network_from("2000::/3", &net) ||
			     !outward_inside(a, &net)))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!outward_network_from(list[i], &net) ||
			outward_inside(a, &net))
			return false;
	return true;
}

/* Returns false if the address family is unknown. */
static bool outward_address_of(const struct sockaddr *sa, struct in6_addr *out)
{
	struct network nat64;
	if (sa->sa_family == AF_INET) {
		struct sockaddr_in in4;
		memcpy(&in4, sa, sizeof in4);
		outward_from_v4(&in4.sin_addr, out);
		return true;
	}
	if (sa->sa_family != AF_INET6)
		return false;
	struct sockaddr_in6 in6;
	memcpy(&in6, sa, sizeof in6);
	*out = in6.sin6_addr;
	if (outward_network_from("64:ff9b::/96", &nat64) &&
		outward_inside(out, &nat64))
		outward_from_v4(in6.sin6_addr.s6_addr + V4_AT, out);
	return true;
}

/* Reads the next word of the list; false at its end. */
static bool outward_next_word(const char **list, char word[WORD])
{
	*list += strspn(*list, ", ");
	size_t len = strcspn(*list, ", ");
	if (!len)
		return false;
	size_t kept = len < WORD ? len : WORD - 1;
	memcpy(word, *list, kept);
	word[kept] = '\0';
	*list += len;
	return true;
}

static bool outward_is_name(const char *word)
{
	static const char bytes[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz0123456789.-_";
	return strlen(word) < WORD - 1 && strspn(word, bytes) == strlen(word) &&
	       strcmp(word, ".") != 0;
}

bool outward_list(const char *list, struct err *e)
{
	char word[WORD];
	struct network net;
	while (outward_next_word(&list, word))
		if (!outward_network_from(word, &net) && !outward_is_name(word))
			return err_set(e, ERR_INPUT,
				"--webhook-private has '%.60s', which is no "
				"name, no address and no network such as "
				"10.0.0.0/8",
				word);
	return true;
}

static bool outward_is_named(const char *word, const char *host)
{
	size_t n = strlen(word), len = strlen(host);
	if (*word == '.')
		return len > n && !strcasecmp(host + len - n, word);
	return !strcasecmp(word, host);
}

static bool outward_listed(const char *list, const char *host,
	const struct in6_addr *a)
{
	char word[WORD];
	struct network net;
	while (outward_next_word(&list, word))
		if (outward_network_from(word, &net)
				? a && outward_inside(a, &net)
				: outward_is_named(word, host))
			return true;
	return false;
}

bool outward_may(const char *list, const char *host, const struct sockaddr *to,
	struct err *e)
{
	struct in6_addr a;
	char text[INET6_ADDRSTRLEN] = "?";
	bool known = outward_address_of(to, &a);
	if (outward_listed(list, host, known ? &a : NULL) ||
		(known && outward_is_public(&a)))
		return true;
	bool four = known && IN6_IS_ADDR_V4MAPPED(&a);
	if (known)
		inet_ntop(four ? AF_INET : AF_INET6,
			a.s6_addr + (four ? V4_AT : 0), text, sizeof text);
	return err_set(e, ERR_FORBIDDEN,
		"'%.*s' leads to %s, which is no public address; see "
		"--webhook-private",
		SHOWN, host, text);
}

bool outward_named(const char *list, const char *host, struct err *e)
{
	struct sockaddr_in in4 = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	size_t len = strlen(host);
	bool here = !strcasecmp(host, "localhost") ||
		    (len > 10 && !strcasecmp(host + len - 10, ".localhost"));
	if (here)
		in4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (here || inet_pton(AF_INET, host, &in4.sin_addr) == 1)
		return outward_may(list, host, (struct sockaddr *)&in4, e);
	if (inet_pton(AF_INET6, host, &in6.sin6_addr) == 1)
		return outward_may(list, host, (struct sockaddr *)&in6, e);
	return true;
}
