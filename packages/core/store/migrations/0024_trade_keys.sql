-- The keys of quotes and orders, in generations (`key_generation`): an insertion falls into the last
-- one alone, whatever the past. What inherits is read with its parent, so a server of the release before
-- sees every key; the parent keeps those of the other writes, and what was there.
CREATE TABLE trade_keys (
  generation smallint NOT NULL,
  CONSTRAINT trade_keys_pk PRIMARY KEY (partner_id, generation, key_hash)
) INHERITS (idempotency_keys);
