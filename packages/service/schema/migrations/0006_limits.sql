-- Limits as policy (Decision D87): rules over sums, which the database evaluates.

CREATE INDEX acts_name_signed_at ON acts (name, signed_at);

-- Rules that the operator has not changed.
UPDATE approval_rules
SET conditions = '["amount_sar above 100000", "amount_sar above 500000 a day by person"]'
WHERE act = 'funding.credit' AND conditions = '["amount_sar above 100000"]';
