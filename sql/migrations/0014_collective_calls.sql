-- 0014_collective_calls.sql - what the calls of a collective have in common, so that
-- ranks are compared by process group and number; NULL is unknown, as in all rows
-- from before.
ALTER TABLE run_collective
	-- A word of server/model/collective.def.
	ADD COLUMN kind         text COLLATE "C",
	ADD COLUMN dtype        text COLLATE "C",
	-- Whether the parts of an all-to-all have equal sizes.
	ADD COLUMN split        text COLLATE "C" CHECK (split IN ('even', 'uneven')),
	-- Of one call, as nccl-tests count them.
	ADD COLUMN elements     bigint CHECK (elements >= 0),
	ADD COLUMN bytes        bigint CHECK (bytes >= 0),
	ADD COLUMN group_name   text COLLATE "C",
	ADD COLUMN group_ranks  text COLLATE "C",
	-- Valid in this process only.
	ADD COLUMN group_handle bigint,
	ADD COLUMN group_size   bigint,
	-- Number of each call in its group (packed); -1 unknown.
	ADD COLUMN sequence     bytea;
