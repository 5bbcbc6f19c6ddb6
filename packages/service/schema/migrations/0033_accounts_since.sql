-- The balances of a moment are counted back in bounded statements: `accounts_since`.
DROP FUNCTION IF EXISTS balances_at(timestamptz);
