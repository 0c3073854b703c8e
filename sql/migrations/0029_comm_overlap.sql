-- 0029_comm_overlap.sql - the communication of an iteration that overlaps with
-- computation. It is part of compute_ns. NULL: unknown, as in rows from before.

ALTER TABLE run_iteration
	ADD COLUMN comm_overlapped_ns bigint
		CHECK (comm_overlapped_ns BETWEEN 0 AND compute_ns);
