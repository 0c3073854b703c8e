-- device_line.sql - the devices of runs, each with the GPU that it is, as far as the
-- trace says: its UUID; its host and PCI address; or its host and the number by which
-- the process knows it. A process that sees one GPU of its host calls it 0, whichever
-- it is, so that such a number says nothing.
DROP VIEW IF EXISTS device_line;
CREATE VIEW device_line AS
SELECT d.run_id, d.number, d.name, d.sm_count, d.launches, d.busy_ns,
	d.sm_clock_mhz, d.throttled_pct, d.uuid, d.bus_id, d.shapes,
	CASE
		WHEN d.uuid IS NOT NULL THEN 'uuid'
		WHEN r.host <> '' AND d.bus_id IS NOT NULL THEN 'bus_id'
		WHEN r.host <> '' AND d.visible > 1 THEN 'number'
	END AS identified_by,
	coalesce(d.uuid, nullif(r.host, '') || ' ' || d.bus_id,
		CASE WHEN d.visible > 1 THEN nullif(r.host, '') || ' GPU ' || d.number
			|| ' of ' || d.visible || coalesce(' (' || d.name || ')', '')
		END) AS gpu
FROM run_device d
JOIN run r ON r.run_id = d.run_id;
