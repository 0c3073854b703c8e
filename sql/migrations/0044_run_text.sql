-- 0044_run_text.sql - finds runs by a part of their texts, by framework and by device
-- without reading all runs.
--
-- An index entry cannot contain a name of any length, but the index of three-letter
-- sequences (pg_trgm) can find it. The extension is part of PostgreSQL's own packages;
-- a role that may create objects in the database may create it.

CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- All texts by which a run is found, one per line, in lower case. The function depends
-- on its arguments only: jsonb_each_text() and concat_ws() are stable because they
-- accept types whose text depends on settings, which these are not.
CREATE FUNCTION run_text(name text, project text, workload text, job text,
	process_name text, host text, labels jsonb, device_names text[]) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT lower(concat_ws(E'\n', name, project, workload, job, process_name, host,
		(SELECT string_agg(l.key || '=' || l.value, E'\n')
			FROM pg_catalog.jsonb_each_text(labels) AS l),
		array_to_string(device_names, E'\n')) COLLATE "C")
$$;

-- Whether a text contains each of the words, which are in lower case.
CREATE FUNCTION has_words(texts text, words text[]) RETURNS boolean
	LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT bool_and(strpos(lower(texts COLLATE "C"), word) > 0)
	FROM unnest(words) AS word
$$;

CREATE INDEX run_text ON run USING gin (run_text(name, project, workload, job,
	process_name, host, labels, device_names) gin_trgm_ops);
CREATE INDEX run_framework ON run (framework, created_at, run_id);
