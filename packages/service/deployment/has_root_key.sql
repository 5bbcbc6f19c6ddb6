-- Whether the database has the root authority's private key, as 1.0.0 kept it (Decision D73): a server
-- may ask, and reads no authority's key.
CREATE OR REPLACE FUNCTION has_root_key() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM authorities WHERE name = 'root' AND sealed_private_key IS NOT NULL)
$$;
