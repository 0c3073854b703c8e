-- 0012_catalog_word.sql - the glossary's words in costs of site overrides and in a
-- note.

-- Only the key of a cost has an object or a list as its value; an alias has a text.
UPDATE site_override
SET document = regexp_replace(document, '(?<!\\)"catalogue"(\s*:\s*[[{])', '"catalog"\1', 'g')
WHERE kind = 'operators';

UPDATE run_note SET code = 'outside_table' WHERE code = 'beside_table';
