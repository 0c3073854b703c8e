/* fact_list.c - keeps facts by name and adds them to the trace as rows */
#include "fact_list.h"
#include <stdio.h>
#include <string.h>

static struct fact_entry *fact_list_entry(struct fact_list *l, const char *name)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (!strcmp(l->list[i].name, name))
			return &l->list[i];
	return NULL;
}

bool fact_list_put(struct fact_list *l, const char *name, const char *value,
	size_t len)
{
	if (len == 0 || l->n == FACT_LIST_MOST || fact_list_entry(l, name))
		return true;
	uint32_t id = text_put(l->text, value, len, FACT_VALUE_MOST);
	l->list[l->n++] = (struct fact_entry){ name, id };
	return id != NAMES_NONE;
}

/* Whether a list of texts, separated by ", ", contains this one. */
static bool fact_list_among(const char *list, const char *value, size_t len)
{
	const char *at = list;
	for (;;) {
		size_t n = strcspn(at, ",");
		if (n == len && !memcmp(at, value, len))
			return true;
		if (!at[n])
			return false;
		at += n + 1;
		at += *at == ' ';
	}
}

bool fact_list_append(struct fact_list *l, const char *name, const char *value,
	size_t len)
{
	char both[FACT_VALUE_MOST + 1];
	struct fact_entry *f = fact_list_entry(l, name);
	if (!f || len == 0)
		return fact_list_put(l, name, value, len);
	const char *before = names_text(&l->text->trace->names, f->value);
	if (fact_list_among(before, value, len) ||
		strlen(before) + 2 + len >= sizeof both)
		return true;
	int n = snprintf(both, sizeof both, "%s, %.*s", before, (int)len,
		value);
	f->value = text_put(l->text, both, (size_t)n, FACT_VALUE_MOST);
	return f->value != NAMES_NONE;
}

bool fact_list_cuda(struct fact_list *l, const char *name, int64_t version)
{
	char text[64];
	int n = snprintf(text, sizeof text, "%lld.%lld",
		(long long)(version / 1000), (long long)(version % 1000 / 10));
	return fact_list_put(l, name, text, (size_t)n);
}

bool fact_list_hip(struct fact_list *l, const char *name, int64_t version)
{
	char text[64];
	int n = snprintf(text, sizeof text, "%lld.%lld.%lld",
		(long long)(version / 10000000),
		(long long)(version / 100000 % 100),
		(long long)(version % 100000));
	return fact_list_put(l, name, text, (size_t)n);
}

bool fact_list_give(const struct fact_list *l, uint32_t process)
{
	struct trace *t = l->text->trace;
	for (uint32_t i = 0; i < l->n; i++) {
		const char *name = l->list[i].name;
		struct fact_row row = { .process = (uint16_t)process,
			.row = i,
			.name = names_put(&t->names, name, strlen(name)),
			.value = l->list[i].value };
		if (row.name == NAMES_NONE || !trace_fact_add(t, &row))
			return false;
	}
	return true;
}

bool fact_list_give_all(const struct fact_list *l)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < l->text->trace->processes_n; i++)
		ok = fact_list_give(l, i);
	return ok;
}
