-- The history of prices (Decision D91): each minute also has its first price and how many were accepted in it, and
-- hours are kept beside minutes, so that a long period reads few rows.
ALTER TABLE price_minutes ADD COLUMN first_ten_thousandths bigint, ADD COLUMN prices integer NOT NULL DEFAULT 0,
  ADD COLUMN last_number bigint NOT NULL DEFAULT 0;
CREATE TABLE price_hours (
  hour timestamptz(3) CONSTRAINT price_hours_pk PRIMARY KEY,
  least_ten_thousandths bigint NOT NULL,
  most_ten_thousandths bigint NOT NULL,
  last_ten_thousandths bigint NOT NULL,
  first_ten_thousandths bigint,
  prices integer NOT NULL DEFAULT 0,
  last_number bigint NOT NULL DEFAULT 0,
  CONSTRAINT price_hours_order
    CHECK (0 < least_ten_thousandths and least_ten_thousandths <= last_ten_thousandths
      and last_ten_thousandths <= most_ten_thousandths)
);
CREATE TRIGGER price_hours_in_control BEFORE INSERT OR UPDATE OR DELETE ON price_hours
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell();
INSERT INTO price_hours (hour, least_ten_thousandths, most_ten_thousandths, last_ten_thousandths)
SELECT date_trunc('hour', minute), min(least_ten_thousandths), max(most_ten_thousandths),
  (array_agg(last_ten_thousandths ORDER BY minute DESC))[1]
FROM price_minutes GROUP BY 1;
