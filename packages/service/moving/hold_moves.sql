-- One mover at a time (Decision D114). Whoever moves a partner holds the advisory lock (7323, its number) with its
-- sessions in control and in both cells, and so writes only by sessions that hold it.

-- Raises an error while another session holds the moves of this partner; then holds them until this transaction ends.
CREATE OR REPLACE FUNCTION demand_hold(p_partner_id integer) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock(7323, p_partner_id) THEN
    RAISE EXCEPTION 'somebody else moves partner %', p_partner_id USING ERRCODE = 'lock_not_available';
  END IF;
END $$;

CREATE OR REPLACE FUNCTION check_mover() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM demand_hold(NEW.partner_id);
  RETURN NEW;
END $$;
