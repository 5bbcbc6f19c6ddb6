-- Opens a partner's lane again (Decision D54), whoever closed it: what waits is tried at once, parked events
-- too. The count of failed attempts begins anew, but not at none: the row of the event at the cursor,
-- if it has one, is still to be settled.
CREATE OR REPLACE FUNCTION enable_webhook(p_partner_id integer, p_at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE webhook_lanes SET disabled_at = NULL, disabled_reason = NULL, failing_since = NULL,
    attempts = least(attempts, 1), next_attempt_at = p_at, leased_until = NULL,
    leased_by = NULL
  WHERE partner_id = p_partner_id;
  UPDATE event_deliveries SET next_attempt_at = p_at
  WHERE partner_id = p_partner_id AND state = 'failing' AND next_attempt_at > p_at;
END $$;
