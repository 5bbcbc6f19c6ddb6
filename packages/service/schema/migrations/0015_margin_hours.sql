-- What a partner's orders earned in each ended hour (Decision D90), added up from the orders themselves: a list of a
-- month reads these rows instead. Until when that is done for a partner, `margin_marks` says.
CREATE TABLE margin_hours (
  partner_id integer NOT NULL,
  hour timestamptz(3) NOT NULL,
  orders integer NOT NULL,
  unpriced integer NOT NULL,
  gold_micrograms bigint NOT NULL,
  total_halalas bigint NOT NULL,
  spread_halalas bigint NOT NULL,
  fee_halalas bigint NOT NULL,
  rounding_halalas bigint NOT NULL,
  margin_halalas bigint NOT NULL,
  CONSTRAINT margin_hours_pk PRIMARY KEY (partner_id, hour)
);
CREATE TABLE margin_marks (
  partner_id integer CONSTRAINT margin_marks_pk PRIMARY KEY,
  summed_until timestamptz(3) NOT NULL
);
