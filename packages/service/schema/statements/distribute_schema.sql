-- Distributes the schema of a cell with Citus, or brings the distribution up to date (Decision D53). A
-- superuser runs it on the coordinator, with a URL that names the schema, after every `sabika migrate`.
-- docs/scale.md says how.
SET client_min_messages = warning;
SET citus.enable_unsafe_triggers = on;

BEGIN;
CREATE TEMP TABLE kept ON COMMIT DROP AS
SELECT tgname AS name, tgrelid::regclass::text AS place, pg_get_triggerdef(t.oid) AS definition,
  tgenabled AS state, tgtype & 32 > 0 AS on_truncate
FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal AND tgparentid = 0
  AND NOT EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = c.oid);

DO $$
DECLARE
  v record;
BEGIN
  IF (SELECT count(*) FROM kept) = 0 THEN
    RETURN;
  END IF;
  -- Citus refuses inheritance; `known_key` there reads both tables by their names.
  IF EXISTS (SELECT FROM pg_inherits WHERE inhrelid = 'trade_keys'::regclass) THEN
    ALTER TABLE trade_keys NO INHERIT idempotency_keys;
  END IF;
  -- Citus copies the rows to their node, where a trigger would look for tables that do not exist yet.
  FOR v IN SELECT * FROM kept LOOP
    EXECUTE format('DROP TRIGGER %I ON %s', v.name, v.place);
  END LOOP;
  PERFORM citus_schema_distribute(current_schema()::regnamespace)
  WHERE NOT EXISTS (SELECT FROM pg_dist_schema WHERE schemaid = current_schema()::regnamespace);
  FOR v IN SELECT * FROM kept LOOP
    EXECUTE v.definition;
    -- Citus makes no trigger on shards that fires on TRUNCATE, even if it also fires on UPDATE.
    IF v.on_truncate AND v.definition ~ 'BEFORE (UPDATE|DELETE)' THEN
      EXECUTE replace(replace(v.definition, ' OR TRUNCATE', ''),
        'CREATE TRIGGER ' || quote_ident(v.name), 'CREATE TRIGGER ' || quote_ident(v.name || '_here'));
    END IF;
    IF v.state = 'D' THEN
      EXECUTE format('ALTER TABLE %s DISABLE TRIGGER %I', v.place, v.name);
    END IF;
  END LOOP;
END $$;
COMMIT;

-- A call of one of these functions alone is executed on the node that has the schema's tables.
SELECT count(create_distributed_function(oid::regprocedure, colocate_with := current_schema() || '.accounts'))
FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND proname IN (
  'book_act', 'cancel_withdrawals', 'close_days', 'credit_fundings', 'digest_keys', 'enable_own_webhook',
  'fund_sandbox', 'keep_evidence', 'make_priced_quotes', 'make_quotes', 'place_orders',
  'place_signed_orders', 'place_withdrawals', 'record_attempts', 'record_price', 'report_act',
  'request_redelivery', 'spend_nonces', 'write_cancellation', 'write_warning');
