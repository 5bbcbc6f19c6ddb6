-- Grants each role its privileges (Decision D48) on every table and function of the schema; a test compares
-- the result with a list. `sabika migrate` calls this after it has made all functions, and `roles.sql` after
-- it has handed the database over to sabika_owner. Until then no role has any privilege.
CREATE OR REPLACE FUNCTION grant_privileges() RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_table regclass;
BEGIN
  -- Functions that run with their owner's rights must not be open to everybody, whoever the owner is.
  REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
  IF (SELECT nspowner IS DISTINCT FROM to_regrole('sabika_owner') FROM pg_namespace
      WHERE nspname = 'public') THEN
    RETURN;
  END IF;

  REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM sabika_app, sabika_operator, sabika_read;
  -- Partitions come and go; access to them is by their parent table.
  FOR v_table IN SELECT oid FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
  LOOP
    EXECUTE format('REVOKE ALL ON %s FROM PUBLIC, sabika_app, sabika_operator, sabika_read', v_table);
    EXECUTE format('GRANT SELECT ON %s TO sabika_operator', v_table);
  END LOOP;

  -- Whoever opens them is noted: `open_reserve`.
  REVOKE SELECT ON reserve_openings FROM sabika_operator;

  GRANT SELECT ON accounts, acts, approval_rules, approvals, attestation_keys, audit_facts, audit_head, audit_log, balance_checkpoints,
    balance_round, booked_acts, cell_acts, cells, certificates, closed_evidence, credential_requests, credential_warnings,
    day_closings, deployment, event_deliveries, events, evidence, evidence_days, evidence_marks, fundings, idempotency_keys, key_digests,
    margin_hours, margin_marks, move_ends, office,
    operator_keys, operator_roles, operators, orders, partner_documents, partner_moves, partners, pool_version_bars,
    pool_versions, pools, price_hours, price_minutes,
    price_settings, prices, quotes, receipt_marks, receipts, recount_results, recounts, refiners, refused_prices, register_state, reserve_attestations, reserve_banks, reserve_signatures, reserves, schema_steps, schema_versions,
    signing_keys, source_addresses, trade_keys, transfers, vault, vault_bars, vault_count_acceptances, vault_count_lines, vault_count_signatures, vault_counts, webhook_attempts,
    webhook_lanes, withdrawals TO sabika_read;
  GRANT SELECT (key_id, public_jwk, valid_from, valid_until) ON receipt_keys TO sabika_read;
  GRANT EXECUTE ON FUNCTION evidence_since, first_event_at, first_id_at, first_transfer_at, hash_evidence, key_bucket,
    key_digest, key_generation, moment_of_id,
    known_key, list_of_refiner, margin_of, margins_by_hour, month_at, open_differences, place_of_cell, pool_version_text, price_terms, short_hash, takes_unlisted_bars TO sabika_app, sabika_operator, sabika_read;
  GRANT EXECUTE ON FUNCTION has_root_key TO sabika_app, sabika_operator;
  -- Server and operator both book the copy of a recorded act; the first of them does.
  GRANT EXECUTE ON FUNCTION book_act, finish_act, report_act TO sabika_app, sabika_operator;

  -- A server reads what it serves and needs, but no authority's key and no nonce.
  GRANT SELECT ON accounts, attestation_keys, audit_head, balance_checkpoints, balance_round, booked_acts, cell_acts, cells,
    certificates, client_secrets, closed_evidence, credential_warnings, credential_requests, day_closings, deployment, event_deliveries, events,
    evidence, evidence_days, fundings, idempotency_keys, key_digests, margin_marks, orders, partner_moves, partners,
    pool_version_bars, pool_versions, pools, price_hours, price_minutes, price_settings, prices, quotes,
    receipt_keys, receipt_marks, receipts, register_state, reserve_attestations, reserve_banks, reserve_signatures, reserves, revoked_tokens, scenario, schema_steps, schema_versions, sealed_keys, signing_keys,
    source_addresses, token_keys, trade_keys, transfers, webhook_attempts, webhook_lanes, webhook_secrets,
    vault_count_acceptances, vault_count_lines, vault_count_signatures, vault_counts, withdrawals TO sabika_app;
  GRANT EXECUTE ON FUNCTION accounts_since, cancel_withdrawals, check_balances, close_days, digest_keys,
    enable_own_webhook, find_reserve_opening, fund_sandbox, maintain_attempt_partitions, maintain_nonce_partitions, maintain_price_partitions,
    make_priced_quotes, make_quotes, close_evidence_day, drop_evidence, keep_evidence, keep_key, keep_receipts, keep_reserve, keep_reserve_signature, make_evidence_partitions, note_price, note_warning,
    place_orders, place_signed_orders, place_withdrawals, record_attempts, record_evidence_day, record_price,
    refuse_price,
    request_credential, request_redelivery, revoke_token, simulate_giveaway, simulate_clock, simulate_old_quote, simulate_price, simulate_withdrawal,
    spend_nonces, sum_margins, suspend_for_balances,
    take_balance_round, write_cancellation, write_warning TO sabika_app;
  -- A server compares the moves of a cell with control's before it serves the cell.
  GRANT SELECT (move_id, side) ON move_ends TO sabika_app;
  -- A server records the progress of deliveries but cannot change the events.
  GRANT UPDATE (next_sequence, attempts, next_attempt_at, leased_until, leased_by, disabled_at,
    disabled_reason) ON webhook_lanes TO sabika_app;
  GRANT INSERT, UPDATE (state, attempts, next_attempt_at, leased_until, last_attempt_at, last_status,
    last_error) ON event_deliveries TO sabika_app;

  -- The operator changes the register and records acts on partners' rows, by an act (`facts_by_acts.sql`).
  GRANT INSERT ON acts, audit_log, cell_acts, cells, deployment, pool_versions, pools, reserve_attestations, reserve_banks, vault_count_acceptances, vault_count_lines,
    vault_count_signatures, vault_counts TO sabika_operator;
  GRANT INSERT, UPDATE ON authorities, certificates, client_secrets, partners, receipt_keys, signing_keys,
    token_keys, vault_bars, webhook_secrets TO sabika_operator;
  GRANT UPDATE (state) ON cells TO sabika_operator;
  GRANT UPDATE (status, decided_at, replaced_ends_at, certificate, refusal) ON credential_requests TO sabika_operator;
  GRANT INSERT, UPDATE, DELETE ON sealed_keys TO sabika_operator;
  GRANT INSERT, DELETE ON operator_roles, source_addresses TO sabika_operator;
  GRANT INSERT, UPDATE, DELETE ON approval_rules, partner_contacts, partner_documents TO sabika_operator;
  GRANT INSERT, UPDATE (state, decision_id, decider_id, decided_at, reason) ON approvals TO
    sabika_operator;
  GRANT UPDATE (approval_seconds, least_administrators, unlisted_bars) ON office TO sabika_operator;
  GRANT INSERT, UPDATE (enabled) ON operators TO sabika_operator;
  GRANT INSERT, UPDATE (valid_until) ON attestation_keys, operator_keys TO sabika_operator;
  GRANT INSERT, UPDATE (until_day) ON refiners TO sabika_operator;
  -- Sign-in at the office: no other role reads these tables.
  GRANT INSERT, UPDATE (valid_until) ON operator_identities TO sabika_operator;
  GRANT INSERT, UPDATE (used_at) ON operator_links TO sabika_operator;
  GRANT INSERT, UPDATE (last_seen_at), DELETE ON operator_sessions TO sabika_operator;
  GRANT INSERT, DELETE ON operator_challenges, operator_nonces TO sabika_operator;
  -- What people are told; nobody's act, so the office writes it alone.
  GRANT INSERT, UPDATE (ended_at), DELETE ON notifications TO sabika_operator;
  GRANT INSERT, UPDATE (attempts, next_attempt_at, done_at, given_up_at, failure) ON notification_deliveries
    TO sabika_operator;
  GRANT INSERT, UPDATE (channel) ON notification_choices TO sabika_operator;
  GRANT INSERT, UPDATE (address, language), DELETE ON notification_addresses TO sabika_operator;
  GRANT UPDATE ON price_settings, register_state, vault TO sabika_operator;
  -- For locking a lane while its partner moves.
  GRANT UPDATE (in_flight) ON webhook_lanes TO sabika_operator;
  GRANT USAGE ON SEQUENCE audit_log_audit_id_seq TO sabika_operator;
  -- Moving a partner's rows from cell to cell.
  GRANT INSERT, UPDATE (step, ended_at) ON partner_moves TO sabika_operator;
  GRANT EXECUTE ON FUNCTION await_partner, clear_after_move, enter_cell, finish_leaving, leave_cell,
    recall_act, recall_move, receive_prices, receive_rows TO sabika_operator;
  GRANT EXECUTE ON FUNCTION find_rule, is_act_signed, keep_evidence_mark, keep_recount, keep_recount_result,
    lock_accounts, open_accounts, open_reserve, recount_openings, revoke_token TO sabika_operator;
  GRANT EXECUTE ON FUNCTION is_owner TO sabika_app, sabika_operator;
END $$;
