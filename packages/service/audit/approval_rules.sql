-- When an act needs a second person (Decisions D81, D87). An act names what it changes in its signed arguments.

-- The number that an argument has, with at most 6 decimals; null for anything else.
CREATE OR REPLACE FUNCTION amount_of(p_text text) RETURNS numeric
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_text ~ '^[0-9]{1,30}(\.[0-9]{1,6})?$' THEN p_text::numeric END
$$;

-- By how much an act moves a partner's rate, in percent: from what its entry says, else from the rate now.
CREATE OR REPLACE FUNCTION moved_by(p_act_id uuid, p_arguments jsonb, p_argument text) RETURNS numeric
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_rate text := replace(p_argument, '_percent', '');
  v_before numeric;
BEGIN
  SELECT ((detail::jsonb ->> 'before')::jsonb ->> (v_rate || 'Ppm'))::numeric INTO v_before
  FROM audit_log WHERE act_id = p_act_id AND action = 'partner.update';
  IF NOT FOUND THEN
    SELECT (to_jsonb(p) ->> (v_rate || '_ppm'))::numeric INTO v_before
    FROM partners p WHERE client_id = p_arguments ->> 'partner';
  END IF;
  RETURN abs(amount_of(p_arguments ->> p_argument) - v_before / 10000);
END $$;

-- Whether a rule's condition holds for an act; one that cannot be read or compared does. A sum counts what was
-- done on the day of the signature in Riyadh by one person alone, and this act.
CREATE OR REPLACE FUNCTION condition_holds(
  p_condition text, p_act_id uuid, p_name text, p_arguments jsonb, p_operator_id integer, p_signed_at timestamptz
) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_match text[];
  v_text text;
  v_own numeric;
  v_sum numeric;
  v_day timestamptz := date_trunc('day', p_signed_at, 'Asia/Riyadh');
BEGIN
  v_match := regexp_match(p_condition,
    '^([a-z_]+) (?:(is) (\S+)|(outside) (\S+?)\.\.(\S+)|(moved )?above (\S+)( a day(?: by (person|partner))?)?)$');
  IF v_match IS NULL THEN
    RETURN true;
  END IF;
  v_text := p_arguments ->> v_match[1];
  IF v_match[2] IS NOT NULL THEN
    RETURN coalesce(v_text = v_match[3], false);
  END IF;
  IF v_text IS NULL THEN
    -- A term that is left out stays as it is; an amount that is left out is not known.
    RETURN p_name <> 'partner.update' AND (v_match[9] IS NOT NULL OR p_name LIKE 'withdrawal.%');
  END IF;
  IF v_match[4] IS NOT NULL THEN
    RETURN (amount_of(v_text) BETWEEN amount_of(v_match[5]) AND amount_of(v_match[6])) IS NOT TRUE;
  END IF;
  IF v_match[9] IS NULL THEN
    RETURN (amount_of(v_text) <= amount_of(v_match[8])) IS NOT TRUE;
  END IF;
  IF v_match[10] = 'partner' AND NOT p_arguments ? 'partner' THEN
    RETURN true;
  END IF;
  v_own := CASE WHEN v_match[7] IS NULL THEN amount_of(v_text)
    ELSE moved_by(p_act_id, p_arguments, v_match[1]) END;
  SELECT coalesce(sum(CASE WHEN v_match[7] IS NULL THEN amount_of(arguments ->> v_match[1])
    ELSE moved_by(act_id, arguments, v_match[1]) END), 0)
  INTO v_sum
  FROM (
    SELECT act_id, a.arguments::jsonb AS arguments FROM acts a
    WHERE name = p_name AND signed_at >= v_day AND signed_at < v_day + interval '1 day' AND act_id <> p_act_id
      AND (v_match[10] IS DISTINCT FROM 'person' OR operator_id = p_operator_id)
      AND NOT EXISTS (SELECT FROM approvals WHERE request_id = a.act_id)
  ) others
  WHERE v_match[10] IS DISTINCT FROM 'partner' OR arguments ->> 'partner' = p_arguments ->> 'partner';
  RETURN (v_sum + v_own <= amount_of(v_match[8])) IS NOT TRUE;
END $$;

-- Returns the rule by which an act needs a second person; no row when one is enough. Where a rule has a sum, its
-- row is locked until the transaction ends, so that acts at the same time are counted one after another.
CREATE OR REPLACE FUNCTION find_rule(
  p_act_id uuid, p_name text, p_arguments jsonb, p_operator_id integer, p_signed_at timestamptz
) RETURNS SETOF approval_rules
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v approval_rules;
BEGIN
  SELECT * INTO v FROM approval_rules WHERE act = p_name;
  IF v.conditions::text LIKE '% a day%' THEN
    SELECT * INTO v FROM approval_rules WHERE act = p_name FOR NO KEY UPDATE;
  END IF;
  IF v.act IS NOT NULL AND (v.conditions = '[]' OR EXISTS (
    SELECT FROM jsonb_array_elements_text(v.conditions) condition
    WHERE condition_holds(condition, p_act_id, p_name, p_arguments, p_operator_id, p_signed_at)))
  THEN
    RETURN NEXT v;
  END IF;
END $$;
