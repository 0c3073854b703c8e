/* query_words.c - words, their quotes, and what each may say. */
#include "query_words.h"
#include "utc_time.h"
#include "query.h"
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 200, LABEL_KEY_BYTES = 100 };

static const char label[] = "label.";

bool query_words_are(const char *text)
{
	static const char latest[] = "latest";
	if (strchr(text, '='))
		return true;
	for (const char *at = text; *at; at += strspn(at, " ")) {
		size_t len = strcspn(at, " ");
		if (len == sizeof latest - 1 && !strncmp(at, latest, len))
			return true;
		at += len;
	}
	return false;
}

/* The next word, unquoted; NULL at the end, or with *e where a quote is open. */
static char *word_next(const char *name, const char **at, struct arena *a,
	struct err *e)
{
	const char *from = *at += strspn(*at, " ");
	char *word = arena_alloc(a, strlen(from) + 1, 1), *to = word;
	bool quoted = false;
	for (; **at && (quoted || **at != ' '); ++*at) {
		if (**at == '"') {
			quoted = !quoted;
			continue;
		}
		if (quoted && **at == '\\' &&
			((*at)[1] == '"' || (*at)[1] == '\\'))
			++*at;
		*to++ = **at;
	}
	if (quoted)
		err_set(e, ERR_INPUT, "%s: a quote is not closed in '%.60s'",
			name, from);
	return quoted || *at == from ? NULL : word;
}

static bool twice(const char *name, const char *key, struct err *e)
{
	return err_set(e, ERR_INPUT, "%s: '%.110s' is said twice", name, key);
}

static bool text_take(const char *name, const char *key, const char *value,
	const char **to, struct err *e)
{
	if (*to)
		return twice(name, key, e);
	if (strlen(value) > NAME_BYTES)
		return err_set(e, ERR_INPUT,
			"%s: '%.110s' is longer than %d bytes", name, key,
			NAME_BYTES);
	*to = value;
	return true;
}

static bool moment_take(const char *name, const char *key, const char *value,
	int64_t *to, struct err *e)
{
	if (*to != NO_MOMENT)
		return twice(name, key, e);
	return moment_from(value, to) ||
	       err_set(e, ERR_INPUT,
		       "%s: %s: '%.40s' is not a moment such as "
		       "2026-08-22T10:11:12Z",
		       name, key, value);
}

static bool last_take(const char *name, const char *value,
	struct query_words *w, struct err *e)
{
	char *end;
	if (w->last)
		return err_set(e, ERR_INPUT,
			"%s: how many is said twice; latest is last=1", name);
	errno = 0;
	long n = strtol(value, &end, 10);
	if (errno || *end || *value < '0' || *value > '9' || n < 1 ||
		n > WORDS_LAST)
		return err_set(e, ERR_INPUT,
			"%s: last: '%.40s' is not a whole number from 1 to %d",
			name, value, WORDS_LAST);
	w->last = (int)n;
	return true;
}

static bool label_take(const char *name, const char *key, const char *value,
	struct query_words *w, struct err *e)
{
	const char *is = key + sizeof label - 1;
	const char *taken = NULL;
	if (!*is || strlen(is) > LABEL_KEY_BYTES)
		return err_set(e, ERR_INPUT,
			"%s: '%.40s' is not a label: a key of 1 to %d bytes "
			"follows the dot",
			name, key, LABEL_KEY_BYTES);
	for (uint32_t i = 0; i < w->labels_n; i++)
		if (!strcmp(w->labels[i].key, is))
			return twice(name, key, e);
	if (w->labels_n == WORDS_LABELS)
		return err_set(e, ERR_INPUT, "%s: more than %d labels are said",
			name, WORDS_LABELS);
	if (!text_take(name, key, value, &taken, e))
		return false;
	w->labels[w->labels_n++] = (struct query_label){ is, taken };
	return true;
}

static bool pair_take(const char *name, const char *key, const char *value,
	struct query_words *w, struct err *e)
{
	if (!strncmp(key, label, sizeof label - 1))
		return label_take(name, key, value, w, e);
	if (!strcmp(key, "project"))
		return text_take(name, key, value, &w->project, e);
	if (!strcmp(key, "workload"))
		return text_take(name, key, value, &w->workload, e);
	if (!strcmp(key, "framework"))
		return text_take(name, key, value, &w->framework, e);
	if (!strcmp(key, "since"))
		return moment_take(name, key, value, &w->since, e);
	if (!strcmp(key, "until"))
		return moment_take(name, key, value, &w->until, e);
	if (!strcmp(key, "last"))
		return last_take(name, value, w, e);
	return err_set(e, ERR_INPUT,
		"%s: '%.60s' is no word of a query; it takes project=, "
		"workload=, framework=, label.KEY=, since=, until=, latest "
		"and last=N",
		name, key);
}

bool query_words_read(const char *name, const char *text, struct arena *a,
	struct query_words *w, struct err *e)
{
	struct err open = { 0 };
	char *word;
	*w = (struct query_words){ .since = NO_MOMENT, .until = NO_MOMENT };
	while ((word = word_next(name, &text, a, &open))) {
		char *is = strchr(word, '=');
		if (!is && !strcmp(word, "latest")) {
			if (!last_take(name, "1", w, e))
				return false;
			continue;
		}
		if (is)
			*is = '\0';
		if (is && !is[1])
			return err_set(e, ERR_INPUT,
				"%s: '%.110s=' has no value", name, word);
		if (!pair_take(name, word, is ? is + 1 : "", w, e))
			return false;
	}
	return !open.code || err_set(e, open.code, "%s", open.text);
}

void query_words_add(struct query_words *w, const struct query_words *given)
{
	if (!w->project)
		w->project = given->project;
	if (!w->workload)
		w->workload = given->workload;
	if (!w->framework)
		w->framework = given->framework;
	if (w->since == NO_MOMENT)
		w->since = given->since;
	if (w->until == NO_MOMENT)
		w->until = given->until;
	if (!w->last)
		w->last = given->last;
	uint32_t own = w->labels_n;
	for (uint32_t i = 0; i < given->labels_n; i++) {
		uint32_t k = 0;
		while (k < own &&
			strcmp(w->labels[k].key, given->labels[i].key) != 0)
			k++;
		if (k == own && w->labels_n < WORDS_LABELS)
			w->labels[w->labels_n++] = given->labels[i];
	}
}

const char *query_word(struct arena *a, const char *key, const char *value)
{
	char *text = arena_alloc(a, strlen(key) + 2 * strlen(value) + 4, 1);
	char *to = stpcpy(text, key);
	*to++ = '=';
	*to++ = '"';
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			*to++ = '\\';
		*to++ = *value;
	}
	*to = '"';
	return text;
}

const char *query_words_labels(const struct query_words *w, struct arena *a)
{
	if (!w->labels_n)
		return NULL;
	json_t *v = json_object();
	for (uint32_t i = 0; i < w->labels_n; i++)
		json_object_set_new(v, w->labels[i].key,
			json_string(w->labels[i].value));
	char *text = json_dumps(v, JSON_COMPACT | JSON_SORT_KEYS);
	const char *copy = arena_strdup(a, text);
	free(text);
	json_decref(v);
	return copy;
}
