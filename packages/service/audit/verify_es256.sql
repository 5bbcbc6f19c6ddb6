-- Verifies ES256 (RFC 7518 §3.4) in SQL, so that the database itself refuses an act that nobody signed. Numbers
-- are `numeric`, points of P-256 in Jacobian coordinates. Nothing here is secret, so it need not take the same
-- time for each input. A signature takes some tens of milliseconds, and acts are few.

-- The number of a big-endian byte string.
CREATE OR REPLACE FUNCTION number_of_bytes(p_bytes bytea) RETURNS numeric
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_number numeric := 0;
BEGIN
  FOR i IN 0 .. length(p_bytes) - 1 LOOP
    v_number := v_number * 256 + get_byte(p_bytes, i);
  END LOOP;
  RETURN v_number;
END $$;

-- The inverse of a number modulo a prime, by Euclid's algorithm.
CREATE OR REPLACE FUNCTION inverse_modulo(p_number numeric, p_prime numeric) RETURNS numeric
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  a numeric := p_prime; b numeric := mod(p_number, p_prime); q numeric;
  x numeric := 0; y numeric := 1; t numeric;
BEGIN
  WHILE b <> 0 LOOP
    q := div(a, b);
    t := a - q * b; a := b; b := t;
    t := x - q * y; x := y; y := t;
  END LOOP;
  RETURN mod(mod(x, p_prime) + p_prime, p_prime);
END $$;

-- Whether the key signed the data.
--
-- p_x, p_y     the key's coordinates, 32 bytes each
-- p_signature  r and s, 32 bytes each
CREATE OR REPLACE FUNCTION verify_es256(p_x bytea, p_y bytea, p_data bytea, p_signature bytea) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  p CONSTANT numeric := 115792089210356248762697446949407573530086143415290314195533631308867097853951;
  n CONSTANT numeric := 115792089210356248762697446949407573529996955224135760342422259061068512044369;
  b CONSTANT numeric := 41058363725152142129326129780047268409114441015993725554835256314039467401291;
  gx CONSTANT numeric := 48439561293906451759052585252797914202762949526041747995844080717082404635286;
  gy CONSTANT numeric := 36134250956749795798585127919587881956611106672985015071877198253568414405109;
  r numeric; s numeric; w numeric; qx numeric; qy numeric; u1 bit(256); u2 bit(256);
  -- the sum of the generator and the key, and the point that is added
  sx numeric; sy numeric; ax numeric; ay numeric; l numeric;
  -- the point so far; z is 0 at infinity
  x numeric := 0; y numeric := 1; z numeric := 0;
  d numeric; g numeric; e numeric; a numeric; zz numeric; h numeric; rr numeric; hh numeric; v numeric;
BEGIN
  IF length(p_x) <> 32 OR length(p_y) <> 32 OR length(p_signature) <> 64 THEN
    RETURN false;
  END IF;
  r := number_of_bytes(substring(p_signature FROM 1 FOR 32));
  s := number_of_bytes(substring(p_signature FROM 33));
  qx := number_of_bytes(p_x); qy := number_of_bytes(p_y);
  IF r = 0 OR r >= n OR s = 0 OR s >= n OR qx >= p OR qy >= p
    OR mod(qy * qy, p) <> mod(mod(qx * qx, p) * qx + 3 * (p - qx) + b, p) THEN
    RETURN false;
  END IF;
  w := inverse_modulo(s, n);
  u1 := bits_of_number(mod(number_of_bytes(sha256(p_data)) * w, n));
  u2 := bits_of_number(mod(r * w, n));
  IF qx = gx THEN
    -- The key is the generator or its opposite, whose sum needs another formula: nobody has such a key.
    RETURN false;
  END IF;
  l := mod((qy - gy + p) * inverse_modulo(qx - gx + p, p), p);
  sx := mod(l * l + 2 * p - gx - qx, p);
  sy := mod(l * (gx - sx + p) + p - gy, p);

  FOR i IN 0 .. 255 LOOP
    IF z <> 0 THEN
      d := mod(z * z, p); g := mod(y * y, p); e := mod(x * g, p);
      a := mod(3 * (x - d + p) * (x + d), p);
      z := mod((y + z) * (y + z) + 2 * p - g - d, p);
      x := mod(a * a + 8 * (p - e), p);
      y := mod(a * (4 * e - x + p) + 8 * mod(g * (p - g), p), p);
    END IF;
    CONTINUE WHEN get_bit(u1, i) = 0 AND get_bit(u2, i) = 0;
    IF get_bit(u2, i) = 0 THEN
      ax := gx; ay := gy;
    ELSIF get_bit(u1, i) = 0 THEN
      ax := qx; ay := qy;
    ELSE
      ax := sx; ay := sy;
    END IF;
    IF z = 0 THEN
      x := ax; y := ay; z := 1;
      CONTINUE;
    END IF;
    zz := mod(z * z, p);
    h := mod(ax * zz + p - x, p);
    rr := mod(ay * mod(z * zz, p) + p - y, p);
    IF h = 0 THEN
      IF rr <> 0 THEN
        z := 0;
        CONTINUE;
      END IF;
      -- The same point: it is doubled.
      d := zz; g := mod(y * y, p); e := mod(x * g, p);
      a := mod(3 * (x - d + p) * (x + d), p);
      z := mod(2 * y * z, p);
      x := mod(a * a + 8 * (p - e), p);
      y := mod(a * (4 * e - x + p) + 8 * mod(g * (p - g), p), p);
      CONTINUE;
    END IF;
    hh := mod(h * h, p); v := mod(x * hh, p); hh := mod(h * hh, p);
    x := mod(rr * rr + 3 * p - hh - 2 * v, p);
    y := mod(rr * (v - x + p) + y * (p - hh), p);
    z := mod(z * h, p);
  END LOOP;
  IF z = 0 THEN
    RETURN false;
  END IF;
  zz := mod(z * z, p);
  RETURN mod(r * zz, p) = x OR (r + n < p AND mod((r + n) * zz, p) = x);
END $$;

-- The 256 bits of a number.
CREATE OR REPLACE FUNCTION bits_of_number(p_number numeric) RETURNS bit(256)
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_bits text := '';
  v_rest numeric := p_number;
BEGIN
  FOR i IN 1 .. 8 LOOP
    v_bits := mod(v_rest, 4294967296)::bigint::bit(32)::text || v_bits;
    v_rest := div(v_rest, 4294967296);
  END LOOP;
  RETURN v_bits::bit(256);
END $$;
