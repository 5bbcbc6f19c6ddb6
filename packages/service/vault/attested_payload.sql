-- Opens what an inspector or auditor signed (Decision D106): a compact JWS of this type, by a key of this role that has
-- not ended. Returns the text of its payload. `openSigned` accepts the same signatures offline.
CREATE OR REPLACE FUNCTION attested_payload(p_jws text, p_typ text, p_role text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  v_parts text[] := string_to_array(p_jws, '.');
  v_text text;
  v_payload text;
  v_header json;
  v_key record;
  v_fault text;
BEGIN
  BEGIN
    -- Each part is the one text that encodes its bytes.
    IF cardinality(v_parts) IS DISTINCT FROM 3 OR length(v_parts[1]) > 512 OR length(v_parts[3]) <> 86
      OR EXISTS (SELECT FROM unnest(v_parts) AS u (part) WHERE part IS DISTINCT FROM
        rtrim(translate(encode(decode_base64url(part), 'base64'), E'+/\n', '-_'), '='))
    THEN
      v_fault := 'malformed';
    ELSE
      v_text := convert_from(decode_base64url(v_parts[1]), 'UTF8');
      v_payload := convert_from(decode_base64url(v_parts[2]), 'UTF8');
      v_header := v_text::json;
    END IF;
  EXCEPTION
    WHEN invalid_text_representation OR character_not_in_repertoire OR untranslatable_character THEN
      v_fault := 'malformed';
  END;
  IF v_fault IS NULL THEN
    SELECT k.role, k.public_key, k.valid_until INTO v_key FROM attestation_keys k
    WHERE k.key_id = CASE json_typeof(v_header) WHEN 'object' THEN v_header ->> 'kid' END
    -- A key that is being ended has ended.
    FOR SHARE;
    v_fault := CASE
      -- Plain ASCII without escapes, and each member once.
      WHEN v_text !~ '^[\t\n\r -\[\]-~]*$' OR json_typeof(v_header) <> 'object'
        OR (SELECT count(*) <> 3 OR count(DISTINCT name) FILTER (WHERE name IN ('alg', 'kid', 'typ')) <> 3
          FROM json_object_keys(CASE json_typeof(v_header) WHEN 'object' THEN v_header ELSE '{}' END) AS m (name))
      THEN 'malformed'
      WHEN v_header::jsonb -> 'alg' <> '"ES256"' THEN 'wrong_algorithm'
      WHEN v_header::jsonb -> 'typ' <> to_jsonb(p_typ) THEN 'other_type'
      WHEN v_key IS NULL OR json_typeof(v_header -> 'kid') <> 'string' THEN 'unknown_key'
      WHEN v_key.role <> p_role THEN 'other_role'
      WHEN v_key.valid_until IS NOT NULL THEN 'key_ended'
      WHEN NOT verify_es256(decode_base64url(v_key.public_key ->> 'x'), decode_base64url(v_key.public_key ->> 'y'),
        convert_to(v_parts[1] || '.' || v_parts[2], 'UTF8'), decode_base64url(v_parts[3]))
      THEN 'altered' END;
  END IF;
  IF v_fault IS NOT NULL THEN
    RAISE EXCEPTION 'the %''s signature is refused: %', p_role, v_fault
      USING ERRCODE = 'check_violation', CONSTRAINT = 'attested_' || v_fault;
  END IF;
  RETURN v_payload;
END $$;
