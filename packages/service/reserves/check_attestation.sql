-- The trigger of `reserve_attestations`: an auditor's key that has not ended signed day and hash of the kept reserve,
-- in canonical JSON (Decision D107). The row names that key.
CREATE OR REPLACE FUNCTION check_attestation() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF attested_payload(NEW.jws, 'sabika-attestation', 'auditor') IS DISTINCT FROM
    (SELECT format('{"day":"%s","hash":"%s"}', to_char(day, 'YYYY-MM-DD'), hash) FROM reserves WHERE day = NEW.day)
  THEN
    RAISE EXCEPTION 'the attestation is of another reserve'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'reserve_attestations_reserve';
  END IF;
  NEW.key_id := convert_from(decode_base64url(split_part(NEW.jws, '.', 1)), 'UTF8')::json ->> 'kid';
  RETURN NEW;
END $$;
