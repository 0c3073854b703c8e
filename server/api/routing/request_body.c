/* request_body.c - parses a body and checks its keys. */
#include "request_body.h"
#include <string.h>

static bool request_body_listed(const char *keys, const char *key)
{
	size_t len = strlen(key);
	for (const char *at = keys; *at;) {
		size_t n = strcspn(at, "|");
		if (n == len && !strncmp(at, key, n))
			return true;
		at += n + (at[n] == '|');
	}
	return false;
}

static bool request_body_keys_check(json_t *v, const char *keys, struct err *e)
{
	const char *key;
	json_t *each;
	json_object_foreach(v, key,
		each) if (!request_body_listed(keys, key)) return err_set(e,
		ERR_INPUT, "the body has no '%.60s'; it takes %s", key, keys);
	return true;
}

json_t *request_body_read(const struct call *c, const char *keys, struct err *e)
{
	const struct api_request *r = c->request;
	json_error_t why;
	json_t *v = json_loadb(r->body ? r->body : "", r->body_len,
		JSON_REJECT_DUPLICATES, &why);
	bool ok =
		v ? json_is_object(v) ||
				err_set(e, ERR_INPUT,
					"the body is not a JSON object with %s",
					keys)
		  : err_set(e, ERR_INPUT, "the body is not JSON: line %d: %s",
			    why.line, why.text);
	if (ok && request_body_keys_check(v, keys, e))
		return v;
	json_decref(v);
	return NULL;
}
