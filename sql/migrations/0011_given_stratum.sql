-- 0011_given_stratum.sql - the stratum of given iterations is called as in new runs.
UPDATE run_stratum SET text = 'as given in the table'
WHERE text = 'as the table tells them';
