-- Decodes base64url without padding; null for anything else.
CREATE OR REPLACE FUNCTION decode_base64url(p_text text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN decode(rpad(translate(p_text, '-_', '+/'), (length(p_text) + 3) / 4 * 4, '='), 'base64');
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN NULL;
END $$;

-- Reads r and s of a signature in DER (RFC 3279 §2.2.3), 32 bytes each; null for anything else.
CREATE OR REPLACE FUNCTION signature_of_der(p_der bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_parts bytea := '';
  v_at integer := 3;
  v_part bytea;
BEGIN
  IF length(p_der) < 8 OR get_byte(p_der, 0) <> 48 OR get_byte(p_der, 1) <> length(p_der) - 2 THEN
    RETURN NULL;
  END IF;
  FOR i IN 1 .. 2 LOOP
    IF v_at + 1 > length(p_der) OR get_byte(p_der, v_at - 1) <> 2 THEN
      RETURN NULL;
    END IF;
    v_part := substring(p_der FROM v_at + 2 FOR get_byte(p_der, v_at));
    v_at := v_at + 2 + get_byte(p_der, v_at);
    IF length(v_part) = 33 AND get_byte(v_part, 0) = 0 THEN
      v_part := substring(v_part FROM 2);
    END IF;
    IF length(v_part) NOT BETWEEN 1 AND 32 THEN
      RETURN NULL;
    END IF;
    v_parts := v_parts || decode(repeat('00', 32 - length(v_part)), 'hex') || v_part;
  END LOOP;
  RETURN CASE WHEN v_at = length(p_der) + 1 THEN v_parts END;
END $$;

-- Whether an act's key signed exactly this act in this deployment's environment (Decisions D79, D82): a detached
-- JWS with the key's id, or a passkey's assertion, which may be of several acts together, whose hashes follow it in
-- hex (D99).
CREATE OR REPLACE FUNCTION is_act_signed(p_act acts) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_key operator_keys;
  v_content bytea;
  v_parts text[] := string_to_array(p_act.signature, '.');
  v_together text[] := v_parts[6:];
  v_header jsonb;
  v_data bytea; v_client bytea; v_signature bytea;
BEGIN
  SELECT * INTO STRICT v_key FROM operator_keys WHERE key_id = p_act.key_id;
  SELECT convert_to(concat_ws(E'\n', 'ACT', 'sabika:' || environment || '/' || p_act.name,
    encode(sha256(convert_to(p_act.arguments, 'UTF8')), 'hex'),
    extract(epoch FROM p_act.signed_at)::bigint, p_act.act_id), 'UTF8')
  INTO STRICT v_content FROM deployment;
  IF v_key.rp_id IS NULL THEN
    v_header := convert_from(decode_base64url(v_parts[1]), 'UTF8')::jsonb;
    IF cardinality(v_parts) <> 3 OR v_parts[2] <> ''
      OR v_header <> jsonb_build_object('alg', 'ES256', 'b64', false, 'crit', '["b64"]'::jsonb, 'kid', v_key.key_id)
    THEN
      RETURN false;
    END IF;
    v_data := convert_to(v_parts[1] || '.', 'UTF8') || v_content;
    v_signature := decode_base64url(v_parts[3]);
  ELSE
    v_data := decode_base64url(v_parts[3]);
    v_client := decode_base64url(v_parts[4]);
    v_header := convert_from(v_client, 'UTF8')::jsonb;
    IF (cardinality(v_parts) >= 5 AND v_parts[1] = 'webauthn' AND v_parts[2] = v_key.key_id
      AND v_header ->> 'type' = 'webauthn.get' AND (v_header ->> 'crossOrigin') IS DISTINCT FROM 'true'
      AND decode_base64url(v_header ->> 'challenge') = CASE
        WHEN cardinality(v_together) = 0 THEN sha256(v_content)
        WHEN encode(sha256(v_content), 'hex') = ANY (v_together)
          THEN sha256(convert_to(array_to_string(ARRAY['ACTS'] || v_together, E'\n'), 'UTF8')) END
      AND length(v_data) >= 37
      AND substring(v_data FROM 1 FOR 32) = sha256(convert_to(v_key.rp_id, 'UTF8'))
      -- The person was present and verified.
      AND get_byte(v_data, 32) & 5 = 5) IS NOT TRUE
    THEN
      RETURN false;
    END IF;
    v_data := v_data || sha256(v_client);
    v_signature := signature_of_der(decode_base64url(v_parts[5]));
  END IF;
  RETURN coalesce(verify_es256(decode_base64url(v_key.public_jwk ->> 'x'),
    decode_base64url(v_key.public_jwk ->> 'y'), v_data, v_signature), false);
EXCEPTION
  -- What is no JSON or no UTF-8 is no signature.
  WHEN invalid_text_representation OR character_not_in_repertoire OR untranslatable_character
    OR null_value_not_allowed THEN
    RETURN false;
END $$;

-- The trigger of `acts`: the signing key is valid and its operator enabled, the signature is recent and, unless
-- the owner writes, fits the act.
CREATE OR REPLACE FUNCTION check_act() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM operators JOIN operator_keys USING (operator_id)
    WHERE operator_id = NEW.operator_id AND key_id = NEW.key_id AND enabled
      AND valid_from <= clock_timestamp() AND coalesce(valid_until > clock_timestamp(), true)
      AND NEW.signed_at BETWEEN clock_timestamp() - interval '301 seconds'
        AND clock_timestamp() + interval '301 seconds'
    FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the key that signed is not an enabled person''s now'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'acts_signer';
  END IF;
  IF NOT pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE')
    AND NOT is_act_signed(NEW)
  THEN
    RAISE EXCEPTION 'the signature does not fit the act'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'acts_signature';
  END IF;
  RETURN NEW;
END $$;
