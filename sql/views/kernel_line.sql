-- kernel_line.sql - the rows of a run's kernel table, each with the names of its
-- kernel.
DROP VIEW IF EXISTS kernel_line;
CREATE VIEW kernel_line AS
SELECT s.run_id, s.split, s.rank, s.kernel_id,
	k.name, k.mangled, k.short_name,
	k.family, k.defined_in, k.launched_from, k.source,
	k.operator,
	s.device, s.grid_x, s.grid_y, s.grid_z, s.block_x, s.block_y, s.block_z,
	s.instances, s.total_ns, s.min_ns, s.max_ns,
	s.mean_ns, s.median_ns, s.stddev_ns, s.p90_ns, s.p99_ns, s.iqr_ns, s.time_pct,
	s.table_path,
	o.operators AS origins
FROM run_kernel s
JOIN kernel k ON k.id = s.kernel_id
LEFT JOIN run_origin o ON o.run_id = s.run_id AND o.kernel_id = s.kernel_id;
