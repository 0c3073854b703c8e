-- upload_line.sql - an upload with the columns that users see, and the ids of its
-- visible runs.
DROP VIEW IF EXISTS upload_line;
CREATE VIEW upload_line AS
SELECT u.id, u.state, u.project, u.workload, u.name, u.job,
	u.labels, u.file_name, u.gpu_hours, u.bytes, u.sha256, u.attempts,
	u.stage, u.done_bytes, u.error, u.unreadable_by,
	u.created_at, u.received_at, u.finished_at, u.dropped_at,
	ARRAY(SELECT r.run_id
		FROM run r
		WHERE r.upload_id = u.id
		ORDER BY r.ordinal) AS runs
FROM upload u;
