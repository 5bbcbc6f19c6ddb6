-- Keeps receipts, of orders that are here and have none yet, and moves the marks of partners on. A partner that has
-- left keeps what it took along; whoever moves one locks this out until it has left.
CREATE OR REPLACE FUNCTION keep_receipts(
  p_partner_ids integer[], p_order_ids uuid[], p_receipts text[], p_marked integer[], p_last_events bigint[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(7320);
  INSERT INTO receipts (partner_id, order_id, jws)
  SELECT * FROM unnest(p_partner_ids, p_order_ids, p_receipts) AS u (partner_id, order_id, jws)
  -- EXISTS would allow the planner to read all orders into a hash table.
  WHERE (SELECT true FROM orders o WHERE o.partner_id = u.partner_id AND o.order_id = u.order_id LIMIT 1)
    AND (SELECT true FROM accounts a WHERE a.partner_id = u.partner_id LIMIT 1)
  ON CONFLICT DO NOTHING;
  INSERT INTO receipt_marks AS m (partner_id, last_event)
  SELECT a.partner_id, least(u.last_event, a.last_event)
  FROM unnest(p_marked, p_last_events) AS u (partner_id, last_event) JOIN accounts a USING (partner_id)
  ORDER BY 1
  ON CONFLICT (partner_id) DO UPDATE SET last_event = greatest(m.last_event, excluded.last_event),
    made_at = excluded.made_at;
END $$;
