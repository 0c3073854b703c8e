/* s3_sign.c - the steps of a signature: the request in a canonical form, its digest with
 * the date and the region, and a key that is derived from the secret for this day,
 * region and service. The names of the steps are those of the specification. */
#include "s3_sign.h"
#include "buf.h"
#include "hmac_sha256.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define ALGORITHM "AWS4-HMAC-SHA256"
#define SERVICE "s3"

enum { DAY = 8, SCOPE = 128, CANONICAL_MAX = 1 << 17 };

/* The names of the signed headers, sorted. */
static void s3_signed_headers(const struct s3_credentials *who,
	const struct s3_request *r, char names[static 128])
{
	snprintf(names, 128, "host;%sx-amz-content-sha256;x-amz-date%s",
		*r->range ? "range;" : "",
		*who->token ? ";x-amz-security-token" : "");
}

/* The digest of the canonical request. */
static void s3_canonical(const struct s3_credentials *who,
	const struct s3_request *r, const struct s3_signature *s,
	const char *names, char hex[SHA256_HEX])
{
	uint8_t digest[SHA256_BYTES];
	struct buf b;
	buf_init(&b, CANONICAL_MAX);
	buf_printf(&b, "%s\n%s\n%s\nhost:%s\n", r->method, r->path, r->query,
		r->host);
	if (*r->range)
		buf_printf(&b, "range:%s\n", r->range);
	buf_printf(&b, "x-amz-content-sha256:%s\nx-amz-date:%s\n",
		r->body_sha256, s->date);
	if (*who->token)
		buf_printf(&b, "x-amz-security-token:%s\n", who->token);
	buf_printf(&b, "\n%s\n%s", names, r->body_sha256);
	assert(!b.full);
	sha256_of(b.at, b.len, digest);
	sha256_hex(digest, hex);
	buf_release(&b);
}

static void s3_hmac(const void *key, size_t len, const char *text, size_t n,
	uint8_t out[SHA256_BYTES])
{
	const struct hmac_part part = { text, n };
	hmac_sha256(key, len, &part, 1, out);
}

static void s3_signing_key(const char *secret, const char *date,
	const char *region, uint8_t key[SHA256_BYTES])
{
	struct buf b;
	buf_init(&b, CANONICAL_MAX);
	buf_printf(&b, "AWS4%s", secret);
	s3_hmac(b.at, b.len, date, DAY, key);
	s3_hmac(key, SHA256_BYTES, region, strlen(region), key);
	s3_hmac(key, SHA256_BYTES, SERVICE, strlen(SERVICE), key);
	s3_hmac(key, SHA256_BYTES, "aws4_request", strlen("aws4_request"), key);
	buf_release(&b);
}

void s3_sign(const struct s3_credentials *who, const struct s3_request *r,
	struct s3_signature *out)
{
	char names[128], scope[SCOPE], hex[SHA256_HEX], text[512];
	uint8_t key[SHA256_BYTES], digest[SHA256_BYTES];
	struct tm utc;
	gmtime_r(&r->at, &utc);
	strftime(out->date, sizeof out->date, "%Y%m%dT%H%M%SZ", &utc);
	s3_signed_headers(who, r, names);
	s3_canonical(who, r, out, names, hex);
	snprintf(scope, sizeof scope, "%.*s/%s/" SERVICE "/aws4_request", DAY,
		out->date, r->region);
	snprintf(text, sizeof text, ALGORITHM "\n%s\n%s\n%s", out->date, scope,
		hex);
	s3_signing_key(who->secret, out->date, r->region, key);
	s3_hmac(key, SHA256_BYTES, text, strlen(text), digest);
	sha256_hex(digest, hex);
	snprintf(out->authorization, sizeof out->authorization,
		ALGORITHM " Credential=%s/%s, SignedHeaders=%s, Signature=%s",
		who->key_id, scope, names, hex);
}
