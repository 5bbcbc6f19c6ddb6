-- Returns whether the database holds the root authority's private key, as 1.0.0 did (Decision D73). A server
-- may call this, although it may not read the authorities' keys.
CREATE OR REPLACE FUNCTION has_root_key() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM authorities WHERE name = 'root' AND sealed_private_key IS NOT NULL)
$$;
