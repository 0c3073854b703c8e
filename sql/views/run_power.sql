-- run_power.sql - the mean power of runs in their kept iterations, from the energy of all
-- their devices: of one device (power_w), and the energy behind it (energy_j). idle_j is
-- the part of it that the devices would have used without launches; NULL: the energy of
-- no operator is known on all devices that have a row for it. A run without a row, or with a
-- device of unknown energy, is not in this view. Restrict run_id to a value, not by a join,
-- where one run is read.
DROP VIEW IF EXISTS run_power;
CREATE VIEW run_power AS
SELECT e.run_id, e.power_w, e.energy_j,
	CASE WHEN EXISTS (SELECT FROM run_energy_operator o
			WHERE o.run_id = e.run_id
			GROUP BY o.rank
			HAVING count(*) = count(o.energy_j))
		THEN e.idle_j END AS idle_j
FROM (SELECT run_id, sum(energy_j ORDER BY device) AS energy_j,
		1e9::float8 * sum(energy_j ORDER BY device)
			/ sum(span_ns)::float8 AS power_w,
		CASE WHEN count(*) = count(idle_w)
			THEN sum(idle_w * span_ns ORDER BY device) / 1e9 END AS idle_j
	FROM run_energy
	GROUP BY run_id
	HAVING count(*) = count(energy_j)) e;
