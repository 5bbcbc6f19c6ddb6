-- As before, and two administrators whose keys are registered at one moment see one another: who comes
-- second waits for the first, and counts when that is over.
CREATE OR REPLACE FUNCTION begin_people() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM 1 FROM office WHERE people_since IS NULL FOR UPDATE;
  UPDATE office SET people_since = clock_timestamp() WHERE people_since IS NULL AND 2 <= (
    SELECT count(DISTINCT operator_id) FROM operator_roles JOIN operator_keys USING (operator_id)
    WHERE role = 'administrator');
  RETURN NULL;
END $$;
