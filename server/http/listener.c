/* listener.c - binds the socket and reads the certificate and the key. It binds
 * the socket itself so that it can report in a sentence that a port is in use
 * or an address is not one of this machine. */
#include "listener.h"
#include <errno.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

bool listener_split(const char *text, char host[LISTENER_HOST], int *port,
	struct err *e)
{
	const char *colon = strrchr(text, ':');
	const char *from = text;
	size_t len = colon ? (size_t)(colon - text) : 0;
	char *end = NULL;
	long n = colon ? strtol(colon + 1, &end, 10) : -1;
	if (len > 2 && text[0] == '[' && text[len - 1] == ']') {
		from++;
		len -= 2;
	} else if (colon && memchr(text, ':', len)) {
		n = -1; /* an IPv6 address without brackets */
	}
	if (n < 0 || n > 65535 || end == colon + 1 || *end || !len ||
		len >= LISTENER_HOST)
		return err_set(e, ERR_INPUT,
			"'%.100s' is not ADDR:PORT, such as 127.0.0.1:8080 or "
			"[::1]:8080",
			text);
	memcpy(host, from, len);
	host[len] = '\0';
	*port = (int)n;
	return true;
}

static int listener_port_of(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} at = { 0 };
	socklen_t len = sizeof at;
	getsockname(fd, &at.any, &len);
	return ntohs(at.any.sa_family == AF_INET6 ? at.v6.sin6_port
						  : at.v4.sin_port);
}

static int listener_bound(const struct addrinfo *ai)
{
	int one = 1;
	int fd = socket(ai->ai_family,
		SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, ai->ai_protocol);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (!bind(fd, ai->ai_addr, ai->ai_addrlen) && !listen(fd, SOMAXCONN))
		return fd;
	int why = errno;
	close(fd);
	errno = why;
	return -1;
}

/* Opens the non-blocking socket and reads its actual port; -1 on failure. */
static int listener_bind(const char *text, int *port, struct err *e)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	struct addrinfo *list = NULL;
	char host[LISTENER_HOST], service[8];
	if (!listener_split(text, host, port, e))
		return -1;
	snprintf(service, sizeof service, "%d", *port);
	int why = getaddrinfo(host, service, &hints, &list);
	if (why || !list) {
		err_set(e, ERR_INPUT, "cannot listen on '%.100s': %s", text,
			gai_strerror(why));
		return -1;
	}
	int fd = listener_bound(list);
	if (fd < 0)
		err_set(e, ERR_INPUT, "cannot listen on '%.100s': %s", text,
			strerror(errno));
	else
		*port = listener_port_of(fd);
	freeaddrinfo(list);
	return fd;
}

enum { PEM_MAX = 1 << 20, CHAIN_MAX = 100 };

/* Whether only the owner can read the key. A key that root owns may also be
 * readable by a group, because system programs share renewed certificates in
 * this way. */
static bool listener_tls_private(const char *name, const struct stat *s,
	struct err *e)
{
	mode_t too_much = s->st_uid == 0 ? S_IRWXO | S_IWGRP | S_IXGRP
					 : S_IRWXO | S_IRWXG;
	if (s->st_uid != 0 && s->st_uid != geteuid())
		return err_set(e, ERR_INPUT,
			"the key '%.200s' is another user's; it has to be "
			"yours or root's",
			name);
	return !(s->st_mode & too_much) ||
	       err_set(e, ERR_INPUT,
		       "the key '%.200s' can be read by others (mode %o); "
		       "chmod 600 it",
		       name, (unsigned)(s->st_mode & 0777));
}

static char *listener_tls_file_read(const char *name, bool is_key,
	struct err *e)
{
	struct stat s;
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &s)) {
		err_set(e, ERR_INPUT, "cannot read '%.200s': %s", name,
			strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	char *text = calloc(1, PEM_MAX + 1);
	if (!text)
		abort();
	ssize_t n = -1;
	if (!S_ISREG(s.st_mode) || s.st_size > PEM_MAX)
		err_set(e, ERR_INPUT,
			"'%.200s' is not a file of at most %d MiB", name,
			PEM_MAX >> 20);
	else if ((!is_key || listener_tls_private(name, &s, e)) &&
		 (n = read(fd, text, PEM_MAX)) < 0)
		err_set(e, ERR_INPUT, "cannot read '%.200s': %s", name,
			strerror(errno));
	close(fd);
	if (n >= 0)
		return text;
	free(text);
	return NULL;
}

static gnutls_datum_t listener_tls_datum(char *text)
{
	return (gnutls_datum_t){ (unsigned char *)text,
		(unsigned)strlen(text) };
}

static bool listener_tls_pair_check(const struct listener *t, const char *cert,
	const char *key, struct err *e)
{
	const gnutls_datum_t cert_pem = listener_tls_datum(t->cert),
			     key_pem = listener_tls_datum(t->key);
	gnutls_x509_crt_t *chain = NULL;
	gnutls_x509_privkey_t secret = NULL;
	gnutls_certificate_credentials_t both = NULL;
	unsigned n = 0;
	int why = gnutls_x509_crt_list_import2(&chain, &n, &cert_pem,
		GNUTLS_X509_FMT_PEM, 0);
	if (why < 0 || n > CHAIN_MAX) {
		err_set(e, ERR_INPUT, "'%.200s' holds no certificate: %s", cert,
			gnutls_strerror(why));
		goto done;
	}
	if ((why = gnutls_x509_privkey_init(&secret)) < 0 ||
		(why = gnutls_x509_privkey_import2(secret, &key_pem,
			 GNUTLS_X509_FMT_PEM, NULL, 0)) < 0) {
		err_set(e, ERR_INPUT,
			"'%.200s' holds no key without a password: %s", key,
			gnutls_strerror(why));
		goto done;
	}
	if ((why = gnutls_certificate_allocate_credentials(&both)) < 0 ||
		(why = gnutls_certificate_set_x509_key(both, chain, (int)n,
			 secret)) < 0)
		err_set(e, ERR_INPUT,
			"'%.200s' is not the key of the certificate '%.200s': "
			"%s",
			key, cert, gnutls_strerror(why));
done:
	if (both)
		gnutls_certificate_free_credentials(both);
	if (secret)
		gnutls_x509_privkey_deinit(secret);
	for (unsigned i = 0; chain && i < n; i++)
		gnutls_x509_crt_deinit(chain[i]);
	gnutls_free(chain);
	return !e->code;
}

void listener_wipe(struct listener *l)
{
	if (l->key)
		explicit_bzero(l->key, PEM_MAX);
	free(l->cert);
	free(l->key);
	l->cert = l->key = NULL;
}

/* Both names must be given, or neither ("" or NULL). In the second case *t
 * stays empty. */
static bool listener_tls_read(struct listener *t, const char *cert,
	const char *key, struct err *e)
{
	bool has_cert = cert && *cert, has_key = key && *key;
	if (!has_cert && !has_key)
		return true;
	if (has_cert != has_key)
		return err_set(e, ERR_INPUT,
			"--tls-cert and --tls-key require each other; --tls-%s is "
			"missing",
			has_cert ? "key" : "cert");
	t->cert = listener_tls_file_read(cert, false, e);
	t->key = t->cert ? listener_tls_file_read(key, true, e) : NULL;
	if (t->key && listener_tls_pair_check(t, cert, key, e))
		return true;
	listener_wipe(t);
	return false;
}

bool listener_open(struct listener *l, const char *listen, const char *cert,
	const char *key, struct err *e)
{
	*l = (struct listener){ .fd = -1 };
	if (!listener_tls_read(l, cert, key, e))
		return false;
	l->fd = listener_bind(listen, &l->port, e);
	if (l->fd < 0)
		listener_wipe(l);
	return l->fd >= 0;
}
