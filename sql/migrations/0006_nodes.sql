-- 0006_nodes.sql - launches known by the ranges around their node of a CUDA graph.

ALTER TABLE run_operator
	ADD COLUMN known_node_ns bigint NOT NULL DEFAULT 0 CHECK (known_node_ns >= 0);

ALTER TABLE run_shape
	DROP CONSTRAINT run_shape_known_check,
	ADD CONSTRAINT run_shape_known_check CHECK (known IN ('sizes', 'op_sizes',
		'op', 'range', 'node', 'graph', 'rule', 'record', 'not'));
