-- Where a price came from (Decision D95): the feed's host or who set it, the value as it came with its unit, how it was
-- converted, and why it was accepted. What a server says of it; older prices have none of it.
ALTER TABLE prices ADD COLUMN origin text, ADD COLUMN raw_value text, ADD COLUMN raw_unit text,
  ADD COLUMN conversion text, ADD COLUMN accepted text;

-- Prices that were refused, with the reason, for a month: one a second for each reason, however many instances poll.
CREATE TABLE refused_prices (
  refused_at timestamptz(3) NOT NULL,
  reason text NOT NULL,
  origin text,
  raw_value text,
  mid_ten_thousandths bigint,
  as_of timestamptz(3),
  CONSTRAINT refused_prices_pk PRIMARY KEY (refused_at, reason),
  CONSTRAINT refused_prices_short CHECK (length(reason) <= 200 AND length(origin) <= 200 AND length(raw_value) <= 64)
);
CREATE TRIGGER refused_prices_in_control BEFORE INSERT OR UPDATE OR DELETE ON refused_prices
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell();

-- These are made anew with another argument.
DROP FUNCTION IF EXISTS keep_price(text, bigint, timestamptz, boolean);
DROP FUNCTION IF EXISTS record_price(text, bigint, bigint);
