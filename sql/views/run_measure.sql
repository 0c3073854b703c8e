-- run_measure.sql - the measures of runs: those that were attached, and the energy per
-- iteration and per output token, without a source. If a measure of this name was
-- attached, it is the only one. Restrict run_id to a value, not by a join, because the
-- energy of all runs is added up for a join.
DROP VIEW IF EXISTS run_measure;
CREATE VIEW run_measure AS
SELECT run_id, name, value, unit, source, file, created_at
FROM measure
UNION ALL
SELECT e.run_id, own.name, own.value, own.unit, NULL, NULL, NULL
FROM (SELECT run_id, sum(energy_j) AS energy_j, max(iterations) AS iterations,
		max(tokens) AS tokens
	FROM run_energy
	GROUP BY run_id
	HAVING count(*) = count(energy_j)) e
CROSS JOIN LATERAL (VALUES
	('iteration_energy' COLLATE "C", e.energy_j / e.iterations, 'J'),
	('token_energy', e.energy_j / e.tokens, 'J/token')
	) own (name, value, unit)
WHERE own.value IS NOT NULL
AND NOT EXISTS (SELECT FROM measure m
	WHERE m.run_id = e.run_id AND m.name = own.name);
