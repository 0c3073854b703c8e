-- 0026_noise.sql - repeats are the newest runs with ids below that of the runs which are
-- compared; so indexes have the id in place of the time. run_noise finds runs of other
-- workloads of the project.

DROP INDEX run_repeat;
CREATE INDEX run_repeat ON run (project, workload, repeat_key, run_id)
	WHERE repeat_key IS NOT NULL AND counted;
CREATE INDEX run_noise ON run (project, run_id)
	WHERE repeat_key IS NOT NULL AND counted AND workload <> '';
