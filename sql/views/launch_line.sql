-- launch_line.sql - the rows of a run's launch latency, each with the names of its
-- kernel.
DROP VIEW IF EXISTS launch_line;
CREATE VIEW launch_line AS
SELECT l.run_id, l.rank, l.kernel_id,
	k.name, k.short_name,
	l.thread, l.device, l.api, l.instances, l.queued,
	l.total_mean_ns, l.total_median_ns, l.total_min_ns, l.total_max_ns,
	l.total_stddev_ns,
	l.api_mean_ns, l.api_median_ns, l.api_min_ns, l.api_max_ns,
	l.api_stddev_ns,
	l.queue_mean_ns, l.queue_median_ns, l.queue_min_ns, l.queue_max_ns,
	l.queue_stddev_ns,
	l.kernel_mean_ns, l.kernel_median_ns, l.kernel_min_ns, l.kernel_max_ns,
	l.kernel_stddev_ns
FROM run_launch l
JOIN kernel k ON k.id = l.kernel_id;
