/* answer.c - parses uploads, reference sets, attached files and errors from
 * JSON. */
#include "answer.h"
#include "buf.h"
#include "utf8.h"
#include <jansson.h>

static const char *const states[] = { "receiving", "queued", "working", "done",
	"failed" };

const char *upload_state_name(enum upload_state s)
{
	return states[s];
}

/* Copies text from outside for a terminal: removes control characters and cuts
 * the text at a character boundary. */
static void answer_plain(char *to, size_t room, const char *text)
{
	size_t n = 0;
	for (; text && *text && n + 1 < room; text++) {
		unsigned char c = (unsigned char)*text;
		to[n++] = c < ' ' || c == 0x7f ? ' ' : *text;
	}
	to[utf8_trim(to, n)] = '\0';
}

static bool answer_state_from(const char *name, enum upload_state *out)
{
	for (size_t i = 0; name && i < sizeof states / sizeof *states; i++) {
		if (!strcmp(name, states[i])) {
			*out = (enum upload_state)i;
			return true;
		}
	}
	return false;
}

static int64_t answer_integer(const json_t *j)
{
	return json_is_integer(j) ? json_integer_value(j) : -1;
}

static bool answer_read_runs(const json_t *runs, struct upload_answer *out)
{
	size_t i;
	json_t *run;
	json_array_foreach(runs, i, run)
	{
		if (!json_is_integer(run) || out->runs_n == ANSWER_RUNS)
			return false;
		out->runs[out->runs_n++] = json_integer_value(run);
	}
	return true;
}

static bool answer_read_upload(const json_t *j, struct upload_answer *out)
{
	*out = (struct upload_answer){ .id = answer_integer(
					       json_object_get(j, "id")) };
	const char *state = json_string_value(json_object_get(j, "state"));
	if (out->id < 0 || !answer_state_from(state, &out->state))
		return false;
	out->existing = json_is_true(json_object_get(j, "existing"));
	answer_plain(out->sha256, sizeof out->sha256,
		json_string_value(json_object_get(j, "sha256")));
	out->bytes = answer_integer(json_object_get(j, "bytes"));
	const json_t *p = json_object_get(j, "progress");
	answer_plain(out->stage, sizeof out->stage,
		json_string_value(json_object_get(p, "stage")));
	out->done_bytes = answer_integer(json_object_get(p, "done_bytes"));
	out->total_bytes = answer_integer(json_object_get(p, "total_bytes"));
	answer_plain(out->error, sizeof out->error,
		json_string_value(json_object_get(j, "error")));
	return answer_read_runs(json_object_get(j, "runs"), out);
}

bool answer_upload(const char *body, size_t len, struct upload_answer *out,
	struct err *e)
{
	json_t *j = json_loadb(body ? body : "", len, 0, NULL);
	bool ok = answer_read_upload(j, out);
	json_decref(j);
	if (!ok)
		return err_set(e, ERR_UNREACHABLE,
			"the server's answer is not an upload; is it a "
			"kernsift server?");
	return true;
}

bool answer_set(const char *body, size_t len, struct set_answer *out,
	struct err *e)
{
	json_t *j = json_loadb(body ? body : "", len, 0, NULL);
	*out = (struct set_answer){
		.operators = answer_integer(json_object_get(j, "operators")),
		.shapes = answer_integer(json_object_get(j, "shapes")),
		.existing = json_is_true(json_object_get(j, "existing")),
	};
	answer_plain(out->name, sizeof out->name,
		json_string_value(json_object_get(j, "name")));
	json_decref(j);
	return (*out->name && out->operators >= 0 && out->shapes >= 0) ||
	       err_set(e, ERR_UNREACHABLE,
		       "the server's answer is not a reference set; is it a kernsift "
		       "server?");
}

bool answer_attach(const char *body, size_t len, struct attach_answer *out,
	struct err *e)
{
	json_t *j = json_loadb(body ? body : "", len, 0, NULL), *finding;
	const json_t *items = json_object_get(j, "items");
	size_t i;
	*out = (struct attach_answer){
		.measures = items ? (int)json_array_size(items) : -1,
		.profiles =
			answer_integer(json_object_get(j, "kernel_profiles")),
		.matched = answer_integer(json_object_get(j, "matched")),
		.with_shape = answer_integer(json_object_get(j, "with_shape")),
		.existing = json_is_true(json_object_get(j, "existing")),
	};
	json_array_foreach(json_object_get(j, "findings"), i,
		finding) if (out->findings_n < ANSWER_FINDINGS)
		answer_plain(out->findings[out->findings_n++],
			sizeof out->findings[0],
			json_string_value(json_object_get(finding, "text")));
	json_decref(j);
	return out->measures >= 0 ||
	       (out->profiles >= 0 && out->matched >= 0 &&
		       out->with_shape >= 0) ||
	       err_set(e, ERR_UNREACHABLE,
		       "the server's answer is not about kernel profiles or "
		       "measures; is it a kernsift server?");
}

/* 401, 403 and 407 concern the token; 408, 429 and all from 500 on the server's state,
 * not the request. */
static enum err_code answer_code(int status)
{
	switch (status) {
	case 401:
		return ERR_UNAUTHORIZED;
	case 403:
	case 407:
		return ERR_FORBIDDEN;
	default:
		return status == 408 || status == 429 || status >= 500
			       ? ERR_UNREACHABLE
			       : ERR_INTERNAL;
	}
}

bool answer_error(int status, const char *body, size_t len, struct err *e)
{
	json_t *j = json_loadb(body ? body : "", len, 0, NULL);
	const json_t *error = json_object_get(j, "error");
	const char *message =
		json_string_value(json_object_get(error, "message"));
	if (message && *message) {
		char text[sizeof e->text];
		answer_plain(text, sizeof text, message);
		err_set(e, answer_code(status), "%s", text);
	} else {
		err_set(e, ERR_UNREACHABLE,
			"the server returned status %d without a message; is it a "
			"kernsift server?",
			status);
	}
	json_decref(j);
	return false;
}
