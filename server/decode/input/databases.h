/* databases.h - an SQLite file's way to the one who knows its tables. */
#pragma once
#include "sqlite_file.h"

typedef bool database_fn(struct sqlite_file *f, struct trace *t, struct err *e);

#define DATABASE(prefix, reader) database_fn reader;
#include "databases.def"
#undef DATABASE
