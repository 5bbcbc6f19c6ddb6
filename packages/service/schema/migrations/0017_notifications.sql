-- What people are told (Decision D98). A condition is told once while it lasts: it has one row that has not ended.
CREATE TABLE notifications (
  notification_id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT notifications_pk PRIMARY KEY,
  kind text NOT NULL,
  subject text NOT NULL,
  facts jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz(3),
  CONSTRAINT notifications_short CHECK (length(kind) <= 64 AND length(subject) <= 200 AND length(facts::text) <= 4000),
  CONSTRAINT notifications_times CHECK (ended_at >= created_at)
);
CREATE UNIQUE INDEX notifications_lasting ON notifications (kind, subject) WHERE ended_at IS NULL;
CREATE INDEX notifications_by_subject ON notifications (kind, subject, ended_at);

-- Whom each was given to, and how: done when a person read it, or a receiver accepted it.
CREATE TABLE notification_deliveries (
  delivery_id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT notification_deliveries_pk PRIMARY KEY,
  notification_id integer NOT NULL
    CONSTRAINT notification_deliveries_notification REFERENCES notifications ON DELETE CASCADE,
  channel text NOT NULL,
  operator_id integer CONSTRAINT notification_deliveries_operator REFERENCES operators,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  done_at timestamptz(3),
  given_up_at timestamptz(3),
  failure text,
  CONSTRAINT notification_deliveries_once UNIQUE NULLS NOT DISTINCT (notification_id, channel, operator_id),
  CONSTRAINT notification_deliveries_channel CHECK (channel IN ('console', 'mail', 'webhook')),
  CONSTRAINT notification_deliveries_receiver CHECK ((operator_id IS NULL) = (channel = 'webhook')),
  CONSTRAINT notification_deliveries_failure CHECK (length(failure) <= 200),
  CONSTRAINT notification_deliveries_end CHECK (done_at IS NULL OR given_up_at IS NULL)
);
CREATE INDEX notification_deliveries_unread ON notification_deliveries (operator_id)
  WHERE channel = 'console' AND done_at IS NULL AND given_up_at IS NULL;
CREATE INDEX notification_deliveries_due ON notification_deliveries (channel, next_attempt_at)
  WHERE channel <> 'console' AND done_at IS NULL AND given_up_at IS NULL;
CREATE INDEX notification_deliveries_of_person ON notification_deliveries (operator_id, notification_id DESC)
  WHERE channel = 'console';

-- How a person wants a kind; without a row, in the console.
CREATE TABLE notification_choices (
  operator_id integer NOT NULL CONSTRAINT notification_choices_operator REFERENCES operators,
  kind text NOT NULL,
  channel text NOT NULL,
  CONSTRAINT notification_choices_pk PRIMARY KEY (operator_id, kind),
  CONSTRAINT notification_choices_channel CHECK (channel IN ('none', 'console', 'mail'))
);
-- Where a person reads mail, and in which language.
CREATE TABLE notification_addresses (
  operator_id integer CONSTRAINT notification_addresses_pk PRIMARY KEY
    CONSTRAINT notification_addresses_operator REFERENCES operators,
  address text NOT NULL,
  language text NOT NULL,
  CONSTRAINT notification_addresses_form CHECK (length(address) <= 254 AND address ~ '^[!-?A-~]+@[!-?A-~]+$'),
  CONSTRAINT notification_addresses_language CHECK (language IN ('en', 'ar'))
);
DO $$
DECLARE
  v_table text;
BEGIN
  FOREACH v_table IN ARRAY ARRAY['notifications', 'notification_deliveries', 'notification_choices',
    'notification_addresses']
  LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE INSERT OR UPDATE OR DELETE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_in_cell()', v_table || '_in_control', v_table);
  END LOOP;
END $$;
