-- What a trade consists of (Decision D93): quotes and orders keep their price's way and their parts, tax has dates,
-- and VAT an account of its own. Older quotes and orders have none of it.
ALTER TABLE quotes ADD COLUMN mid_ten_thousandths bigint, ADD COLUMN price_source text,
  ADD COLUMN gold_vat_ppm bigint, ADD COLUMN fee_vat_halalas bigint, ADD COLUMN discloses_spread boolean;
ALTER TABLE quotes ADD CONSTRAINT quotes_parts CHECK (
  num_nulls(mid_ten_thousandths, price_source, gold_vat_ppm, fee_vat_halalas, discloses_spread) in (0, 5)
  AND (mid_ten_thousandths IS NULL OR price_number IS NOT NULL)
  AND fee_vat_halalas BETWEEN 0 AND vat_halalas) NOT VALID;

ALTER TABLE orders ADD COLUMN price_number bigint, ADD COLUMN mid_ten_thousandths bigint,
  ADD COLUMN spread_ppm bigint, ADD COLUMN fee_ppm bigint, ADD COLUMN gold_vat_ppm bigint,
  ADD COLUMN fee_vat_ppm bigint, ADD COLUMN fee_vat_halalas bigint, ADD COLUMN price_as_of timestamptz(3),
  ADD COLUMN price_source text, ADD COLUMN discloses_spread boolean;
ALTER TABLE orders ADD CONSTRAINT orders_parts CHECK (
  num_nulls(mid_ten_thousandths, price_source, gold_vat_ppm, fee_vat_halalas, discloses_spread) in (0, 5)
  AND (mid_ten_thousandths IS NULL
    OR num_nulls(price_number, spread_ppm, fee_ppm, fee_vat_ppm, price_as_of) = 0)
  AND fee_vat_halalas BETWEEN 0 AND vat_halalas) NOT VALID;

-- Rates of VAT by the day in Riyadh from which they hold: {"2027-01-01": {"gold_ppm": 0, "fee_ppm": 150000}}.
-- Before the first day, and without any, both are `vat_ppm`.
ALTER TABLE partners ADD COLUMN taxes jsonb, ADD COLUMN discloses_spread boolean;
ALTER TABLE partners ADD CONSTRAINT partners_taxes CHECK (jsonb_typeof(taxes) = 'object');
CREATE TRIGGER partners_taxes_by_act AFTER UPDATE OF taxes, discloses_spread ON partners
  FOR EACH STATEMENT WHEN (NOT is_owner()) EXECUTE FUNCTION note_fact();
-- The next entry takes the new rule.
ALTER TABLE approval_rules DISABLE TRIGGER USER;
INSERT INTO approval_rules (act, conditions, approvers) VALUES ('tax.set', '[]', '["treasury", "administrator"]');
ALTER TABLE approval_rules ENABLE TRIGGER USER;
INSERT INTO changed_rows (transaction_id, fact, key, image) VALUES ('0', 'approval_rules', 'tax.set',
  '{"act": "tax.set", "conditions": "[]", "approvers": "[\"treasury\", \"administrator\"]"}');

ALTER TABLE accounts ADD COLUMN vat_halalas bigint NOT NULL DEFAULT 0,
  ADD CONSTRAINT accounts_vat_not_negative CHECK (vat_halalas >= 0),
  DROP CONSTRAINT accounts_cash_balanced, ADD CONSTRAINT accounts_cash_balanced
    CHECK (cash_halalas + house_cash_halalas + withdrawals_halalas + bank_halalas + vat_halalas = 0);
ALTER TABLE balance_checkpoints ADD COLUMN vat_halalas bigint NOT NULL DEFAULT 0;
ALTER TABLE recounts ADD COLUMN vat_halalas bigint NOT NULL DEFAULT 0;

-- These are made anew with other arguments or results.
DROP FUNCTION IF EXISTS price_terms(text, bigint, bigint, bigint, bigint, bigint);
DROP FUNCTION IF EXISTS gold_for_money(text, bigint, bigint, bigint, bigint, bigint, bigint);
DROP FUNCTION IF EXISTS make_priced_quotes;
DROP FUNCTION IF EXISTS place_signed_orders;
