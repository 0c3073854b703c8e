/* visible.c - interprets CUDA_VISIBLE_DEVICES as CUDA does. */
#include "visible.h"
#include <ctype.h>
#include <stddef.h>
#include <string.h>

static bool visible_one_model(const struct visible_gpu *gpus, int n)
{
	for (int i = 1; i < n; i++)
		if (strcmp(gpus[i].name, gpus[0].name))
			return false;
	return true;
}

/* A whole number and nothing after it, or -1. */
static int visible_number(const char *p, size_t len)
{
	int n = 0;
	for (size_t i = 0; i < len; i++) {
		if (!isdigit((unsigned char)p[i]) || n > VISIBLE_MAX)
			return -1;
		n = n * 10 + (p[i] - '0');
	}
	return len ? n : -1;
}

/* The one GPU whose UUID begins with this; -1 if there is none, or several. */
static int visible_by_uuid(const struct visible_gpu *gpus, int n, const char *p,
	size_t len)
{
	int found = -1;
	for (int i = 0; i < n; i++) {
		if (strncmp(gpus[i].uuid, p, len))
			continue;
		if (found >= 0)
			return -1;
		found = i;
	}
	return found;
}

/* Reads one word of the list. False at the word where CUDA stops reading. */
static bool visible_take(struct visible *v, const struct visible_gpu *gpus,
	int n, const char *p, size_t len, bool *numbers)
{
	int gpu = visible_number(p, len);
	if (v->n == VISIBLE_MAX || len == 0 || len >= VISIBLE_TEXT)
		return false;
	if (gpu >= 0) {
		*numbers = true;
	} else if (!strncmp(p, "MIG-", 4)) {
		memcpy(v->mig[v->n], p, len);
		v->mig[v->n][len] = '\0';
		v->gpu[v->n++] = -1;
		return true;
	} else if (strncmp(p, "GPU-", 4)) {
		return false;
	} else {
		gpu = visible_by_uuid(gpus, n, p, len);
	}
	if (gpu < 0 || gpu >= n)
		return false;
	v->gpu[v->n++] = gpu;
	return true;
}

/* If a GPU is named twice, CUDA uses no GPU. */
static bool visible_twice(const struct visible *v)
{
	for (int i = 0; i < v->n; i++)
		for (int k = 0; k < i; k++)
			if (v->gpu[i] >= 0 && v->gpu[i] == v->gpu[k])
				return true;
	return false;
}

void visible_from(struct visible *v, const struct visible_gpu *gpus, int n,
	const char *list, const char *order)
{
	bool numbers = !list;
	v->n = 0;
	v->unknown = false;
	for (int i = 0; !list && i < n && i < VISIBLE_MAX; i++)
		v->gpu[v->n++] = i;
	for (const char *p = list; p;) {
		p += strspn(p, " \t");
		size_t len = strcspn(p, ", \t");
		if (!visible_take(v, gpus, n, p, len, &numbers))
			break;
		p += len + strspn(p + len, " \t");
		p = *p == ',' ? p + 1 : NULL;
	}
	if (visible_twice(v))
		v->n = 0;
	v->unknown = v->n > 0 && numbers && !visible_one_model(gpus, n) &&
		     !(order && !strcmp(order, "PCI_BUS_ID"));
	if (v->unknown)
		v->n = 0;
}
