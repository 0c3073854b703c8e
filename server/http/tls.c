/* tls.c - read, looked at, held against each other. */
#include "tls.h"
#include <errno.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PEM_MAX = 1 << 20, CHAIN_MAX = 100 };

/* A key that root owns may be readable by a group, because programs of the
 * system share renewed certificates in this way. */
static bool tls_private(const char *name, const struct stat *s, struct err *e)
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

static char *tls_file_read(const char *name, bool is_key, struct err *e)
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
	else if ((!is_key || tls_private(name, &s, e)) &&
		 (n = read(fd, text, PEM_MAX)) < 0)
		err_set(e, ERR_INPUT, "cannot read '%.200s': %s", name,
			strerror(errno));
	close(fd);
	if (n >= 0)
		return text;
	free(text);
	return NULL;
}

static gnutls_datum_t tls_datum(char *text)
{
	return (gnutls_datum_t){ (unsigned char *)text,
		(unsigned)strlen(text) };
}

static bool tls_pair_check(const struct tls *t, const char *cert,
	const char *key, struct err *e)
{
	const gnutls_datum_t cert_pem = tls_datum(t->cert),
			     key_pem = tls_datum(t->key);
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

bool tls_read(struct tls *t, const char *cert, const char *key, struct err *e)
{
	bool has_cert = cert && *cert, has_key = key && *key;
	*t = (struct tls){ 0 };
	if (!has_cert && !has_key)
		return true;
	if (has_cert != has_key)
		return err_set(e, ERR_INPUT,
			"--tls_cert and --tls_key go together; --tls_%s is "
			"missing",
			has_cert ? "key" : "cert");
	t->cert = tls_file_read(cert, false, e);
	t->key = t->cert ? tls_file_read(key, true, e) : NULL;
	if (t->key && tls_pair_check(t, cert, key, e))
		return true;
	tls_release(t);
	return false;
}

void tls_release(struct tls *t)
{
	if (t->key)
		explicit_bzero(t->key, PEM_MAX);
	free(t->cert);
	free(t->key);
	*t = (struct tls){ 0 };
}
