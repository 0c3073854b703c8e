-- 0043_main_run.sql - the runs of the branch main by workload, so that the newest one before
-- a run is found by reading one entry, even if a workload has many runs of other branches.

CREATE INDEX run_main ON run (project, workload, created_at, run_id)
	WHERE labels @> '{"branch": "main"}';
