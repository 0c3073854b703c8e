/* kst_names.c - what kinds and columns are and are called, from kst.def. */
#include <kernsift/kst_reader.h>
#include "kst_wire.h"

#define COLUMN(type, field, absent, expected, what) \
	{ #field, absent, KST_##type, KST_##expected },
#define KIND(number, kind, COLUMNS, what)                                 \
	static const struct kst_column_info kind##_columns[] = { COLUMNS( \
		COLUMN) };                                                \
	_Static_assert(sizeof(struct kst_##kind) / 8 <= KST_COLUMNS_MAX,  \
		"a kind has more columns than a chunk may");
KST_KINDS(KIND)
#undef KIND
#undef COLUMN

static const struct kst_kind_info kinds[KST_KINDS_END] = {
	[KST_about] = { "about", NULL, 0 },
	[KST_text] = { "text", NULL, 0 },
	[KST_end] = { "end", NULL, 0 },
#define KIND(number, kind, COLUMNS, what) \
	[KST_##kind] = { #kind, kind##_columns, sizeof(struct kst_##kind) / 8 },
	KST_KINDS(KIND)
#undef KIND
};

const struct kst_kind_info *kst_kind_info(int kind)
{
	return kind < 0 || kind >= KST_KINDS_END || !kinds[kind].name
		       ? NULL
		       : &kinds[kind];
}

uint64_t kst_absent(const struct kst_column_info *c)
{
	uint64_t bits;
	if (c->type != KST_REAL)
		return (uint64_t)(int64_t)c->absent;
	memcpy(&bits, &c->absent, sizeof bits);
	return bits;
}

int kst_column_of(const struct kst_kind_info *k, enum kst_type type)
{
	for (uint32_t c = 0; c < k->n; c++)
		if (k->columns[c].type == type)
			return (int)c;
	return -1;
}

const char *kst_kind_name(int kind)
{
	const struct kst_kind_info *k = kst_kind_info(kind);
	return k ? k->name : NULL;
}

uint32_t kst_kind_columns(int kind)
{
	const struct kst_kind_info *k = kst_kind_info(kind);
	return k ? k->n : 0;
}

const char *kst_column_name(int kind, uint32_t column)
{
	const struct kst_kind_info *k = kst_kind_info(kind);
	return k && column < k->n ? k->columns[column].name : NULL;
}

enum kst_type kst_column_type(int kind, uint32_t column)
{
	const struct kst_kind_info *k = kst_kind_info(kind);
	if (!k || column >= k->n)
		return KST_INT;
	enum kst_type type = k->columns[column].type;
	return type == KST_NAME || type == KST_JSON ? KST_TEXT : type;
}
