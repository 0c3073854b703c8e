/* cursor.c - encodes 16 bytes of position and 8 bytes of digest in URL-safe
 * base64. */
#include "cursor.h"
#include "route.h"
#include "sha256.h"
#include <string.h>

enum { PLACE = 16, CHECK = 8, RAW = PLACE + CHECK };

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			      "abcdefghijklmnopqrstuvwxyz0123456789-_";

static void cursor_encode(const uint8_t raw[RAW], char out[CURSOR_TEXT])
{
	for (int i = 0; i < RAW; i += 3, out += 4) {
		uint32_t w = (uint32_t)raw[i] << 16 |
			     (uint32_t)raw[i + 1] << 8 | raw[i + 2];
		for (int k = 0; k < 4; k++)
			out[k] = letters[w >> (18 - 6 * k) & 63];
	}
	*out = '\0';
}

static bool cursor_decode(const char *text, uint8_t raw[RAW])
{
	if (strlen(text) != CURSOR_TEXT - 1)
		return false;
	for (int i = 0; i < RAW; i += 3, text += 4) {
		uint32_t w = 0;
		for (int k = 0; k < 4; k++) {
			const char *at = strchr(letters, text[k]);
			if (!at)
				return false;
			w = w << 6 | (uint32_t)(at - letters);
		}
		raw[i] = (uint8_t)(w >> 16);
		raw[i + 1] = (uint8_t)(w >> 8);
		raw[i + 2] = (uint8_t)w;
	}
	return true;
}

static void cursor_add(struct sha256 *s, const char *text)
{
	sha256_add(s, text ? text : "", text ? strlen(text) + 1 : 1);
}

static void cursor_digest(const struct call *c, const uint8_t place[PLACE],
	uint8_t out[CHECK])
{
	struct sha256 s;
	uint8_t all[SHA256_BYTES];
	sha256_init(&s);
	cursor_add(&s, c->route->path);
	sha256_add(&s, &c->id, sizeof c->id);
	sha256_add(&s, &c->k, sizeof c->k);
	cursor_add(&s, c->word);
	for (int i = 0; i < c->params.n; i++) {
		const struct param *p = &c->params.list[i];
		if (strcmp(p->spec->name, "limit") &&
			p->spec->kind != PARAM_CURSOR)
			cursor_add(&s, p->text);
	}
	cursor_add(&s, c->params.labels);
	sha256_add(&s, place, PLACE);
	sha256_end(&s, all);
	memcpy(out, all, CHECK);
}

void cursor_write(const struct call *c, int64_t a, int64_t b,
	char out[CURSOR_TEXT])
{
	uint8_t raw[RAW];
	memcpy(raw, &a, 8);
	memcpy(raw + 8, &b, 8);
	cursor_digest(c, raw, raw + PLACE);
	cursor_encode(raw, out);
}

bool cursor_read(const struct call *c, int64_t *a, int64_t *b, struct err *e)
{
	const char *text = param_text(&c->params, "cursor", NULL);
	uint8_t raw[RAW], check[CHECK];
	*a = *b = 0;
	if (!text)
		return true;
	if (!cursor_decode(text, raw))
		return err_set(e, ERR_INPUT,
			"cursor: '%.40s' is not a cursor of this list; start "
			"again without it",
			text);
	cursor_digest(c, raw, check);
	if (memcmp(check, raw + PLACE, CHECK))
		return err_set(e, ERR_INPUT,
			"cursor: it belongs to another list or was changed; "
			"start "
			"again without it");
	memcpy(a, raw, 8);
	memcpy(b, raw + 8, 8);
	return true;
}
