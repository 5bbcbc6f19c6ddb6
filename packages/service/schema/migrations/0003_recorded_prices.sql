-- Every price that quotes were made at (Decision D88). The number is the arrival in epoch milliseconds × 1000 plus
-- the cell's place among the cells, so that no two cells give the same one and a partner that moves takes its
-- prices along.
CREATE TABLE prices (
  price_number bigint CONSTRAINT prices_pk PRIMARY KEY,
  mid_ten_thousandths bigint NOT NULL,
  -- The feed's own time, and when the price arrived here by the database's clock.
  as_of timestamptz(3) NOT NULL,
  arrived_at timestamptz(3) NOT NULL,
  source text NOT NULL,
  CONSTRAINT prices_mid CHECK (mid_ten_thousandths > 0),
  CONSTRAINT prices_source CHECK (source in ('simulated', 'fixed', 'feed'))
);
CREATE TRIGGER prices_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON prices
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What a quote's terms follow from; older quotes have none of it.
ALTER TABLE quotes ADD COLUMN price_number bigint;
ALTER TABLE quotes ADD COLUMN spread_ppm bigint;
ALTER TABLE quotes ADD COLUMN fee_ppm bigint;
ALTER TABLE quotes ADD CONSTRAINT quotes_priced
  CHECK (num_nulls(price_number, spread_ppm, fee_ppm) in (0, 3)) NOT VALID;
