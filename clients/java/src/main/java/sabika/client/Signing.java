package sabika.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.security.SignatureException;
import java.security.interfaces.ECPublicKey;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Signed requests: the canonical string and its detached ES256 JWS with unencoded payload (Specification
 * §5; RFC 7515 appendix F, RFC 7797; Decisions D20 to D25).
 */
public final class Signing {
  /** The order of the group of P-256 (SP 800-186 §3.2.1.3). */
  static final BigInteger ORDER = new BigInteger(
      "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16);

  /** The algorithm with signatures as in a JWS: r‖s of 32 bytes each, not DER. */
  static final String ES256 = "SHA256withECDSAinP1363Format";
  private static final int HEADER_LETTERS_MAX = 512;
  private static final Pattern TIMESTAMP = Pattern.compile("[1-9][0-9]{0,10}");
  private static final Pattern NONCE = Pattern.compile("[\\x21-\\x7e]{16,128}");
  private static final Pattern KEY_ID = Pattern.compile("[A-Za-z0-9_-]{43}");
  private static final Pattern HEADER_TEXT = Pattern.compile("[\\t\\n\\r\\x20-\\x5b\\x5d-\\x7e]*");

  private Signing() {}

  /**
   * Makes the five lines that are signed.
   *
   * @throws IllegalArgumentException {@code line_feed} if a part has a line feed
   */
  public static String canonicalString(
      String method, String url, byte[] body, String timestamp, String nonce) {
    String hash = HexFormat.of().formatHex(Keys.sha256(body));
    List<String> parts = List.of(method, url, hash, timestamp, nonce);
    if (parts.stream().anyMatch(part -> part.contains("\n"))) {
      throw new IllegalArgumentException("line_feed");
    }
    return String.join("\n", parts);
  }

  /**
   * Makes the three headers of a signed request, by their names.
   *
   * @param url the absolute URL exactly as it is sent
   * @param timestamp Unix time in seconds
   * @param nonce 16 to 128 visible ASCII characters that were never used before
   * @throws IllegalArgumentException {@code timestamp_invalid} or {@code nonce_invalid}
   */
  public static Map<String, String> signRequest(
      String method, String url, byte[] body, String timestamp, String nonce, Signer signer)
      throws GeneralSecurityException {
    if (!TIMESTAMP.matcher(timestamp).matches()) {
      throw new IllegalArgumentException("timestamp_invalid");
    }
    if (!NONCE.matcher(nonce).matches()) throw new IllegalArgumentException("nonce_invalid");
    String canonical = canonicalString(method, url, body, timestamp, nonce);
    return Map.of(
        "X-Timestamp", timestamp,
        "X-Nonce", nonce,
        "X-JWS-Signature", signDetached(canonical, signer, signer.keyId()));
  }

  /** Signs the UTF-8 of a payload; returns {@code <header>..<signature>}. keyId may be null. */
  public static String signDetached(String payload, Signer signer, String keyId)
      throws GeneralSecurityException {
    String named = keyId == null ? "" : ",\"kid\":" + Json.quote(keyId);
    String header = "{\"alg\":\"ES256\",\"b64\":false,\"crit\":[\"b64\"]" + named + "}";
    String segment = Base64Url.encode(header.getBytes(UTF_8));
    byte[] signature = signer.sign((segment + "." + payload).getBytes(UTF_8));
    if (signature.length != 64) {
      throw new SignatureException("a signer must return r‖s, 64 bytes, not DER");
    }
    return segment + ".." + Base64Url.encode(signature);
  }

  /**
   * Verifies a detached JWS over the UTF-8 of a payload as strictly as the service does.
   *
   * @return its {@code kid}, or null if it has none
   */
  public static String verifyDetached(String jws, String payload, ECPublicKey key)
      throws SignatureRefusedException, GeneralSecurityException {
    String[] segments = jws.split("\\.", -1);
    if (segments.length != 3) throw new SignatureRefusedException("not_three_segments");
    if (!segments[1].isEmpty()) throw new SignatureRefusedException("payload_not_empty");
    String keyId = readHeader(segments[0]);
    if (!fits(segments[0] + "." + payload, decodeSignature(segments[2]), key)) {
      throw new SignatureRefusedException("signature_mismatch");
    }
    return keyId;
  }

  /** Decodes the last segment of a JWS to r‖s. */
  static byte[] decodeSignature(String segment) throws SignatureRefusedException {
    byte[] bytes = Base64Url.decode(segment);
    if (bytes == null) throw new SignatureRefusedException("signature_not_base64url");
    if (bytes.length != 64) throw new SignatureRefusedException("signature_length");
    if (!inRange(Arrays.copyOf(bytes, 32)) || !inRange(Arrays.copyOfRange(bytes, 32, 64))) {
      throw new SignatureRefusedException("signature_out_of_range");
    }
    return bytes;
  }

  /** Returns whether a signature fits the signing input of a JWS. */
  static boolean fits(String input, byte[] bytes, ECPublicKey key) throws GeneralSecurityException {
    Signature signature = Signature.getInstance(ES256);
    signature.initVerify(key);
    signature.update(input.getBytes(UTF_8));
    return signature.verify(bytes);
  }

  /** Computes the RFC 7638 thumbprint of a P-256 key, the value of {@code kid}. */
  public static String thumbprint(ECPublicKey key) {
    String x = coordinate(key.getW().getAffineX());
    String y = coordinate(key.getW().getAffineY());
    String members = "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"" + x + "\",\"y\":\"" + y + "\"}";
    return Base64Url.encode(Keys.sha256(members.getBytes(UTF_8)));
  }

  /** Reads a protected header: exactly alg, b64, crit, and perhaps kid (Decision D22). */
  private static String readHeader(String segment) throws SignatureRefusedException {
    Map<?, ?> members = headerMembers(segment, Set.of("alg", "b64", "crit", "kid"));
    if (!"ES256".equals(members.get("alg"))) throw new SignatureRefusedException("alg_not_es256");
    if (!Boolean.FALSE.equals(members.get("b64"))) {
      throw new SignatureRefusedException("b64_not_false");
    }
    if (!List.of("b64").equals(members.get("crit"))) {
      throw new SignatureRefusedException("crit_not_b64");
    }
    if (!members.containsKey("kid")) return null;
    if (isKeyId(members.get("kid"))) return (String) members.get("kid");
    throw new SignatureRefusedException("kid_malformed");
  }

  /** Returns whether a value is an RFC 7638 thumbprint. */
  static boolean isKeyId(Object value) {
    return value instanceof String text && KEY_ID.matcher(text).matches();
  }

  /** Reads a protected header whose members have only these names. */
  static Map<?, ?> headerMembers(String segment, Set<String> names)
      throws SignatureRefusedException {
    if (segment.length() > HEADER_LETTERS_MAX) {
      throw new SignatureRefusedException("header_malformed");
    }
    byte[] bytes = Base64Url.decode(segment);
    if (bytes == null) throw new SignatureRefusedException("header_not_base64url");
    String text = new String(bytes, ISO_8859_1);
    // A valid header is plain ASCII without escapes; this also refuses a BOM.
    if (!HEADER_TEXT.matcher(text).matches()) {
      throw new SignatureRefusedException("header_malformed");
    }
    Map<?, ?> members = readMembers(text);
    if (!names.containsAll(members.keySet())) {
      throw new SignatureRefusedException("header_member_unknown");
    }
    return members;
  }

  private static Map<?, ?> readMembers(String text) throws SignatureRefusedException {
    try {
      if (Json.read(text) instanceof Map<?, ?> members) return members;
      throw new SignatureRefusedException("header_malformed");
    } catch (Json.DuplicateMemberException twice) {
      throw new SignatureRefusedException("header_member_duplicate");
    } catch (Json.SyntaxException malformed) {
      throw new SignatureRefusedException("header_malformed");
    }
  }

  private static boolean inRange(byte[] number) {
    BigInteger value = new BigInteger(1, number);
    return value.signum() > 0 && value.compareTo(ORDER) < 0;
  }

  private static String coordinate(BigInteger number) {
    return Base64Url.encode(bytes32(number));
  }

  /** Returns a number of at most 256 bits as 32 bytes. */
  static byte[] bytes32(BigInteger number) {
    byte[] bytes = number.toByteArray(); // Two's complement may have a leading zero or be shorter than 32 bytes.
    byte[] fixed = new byte[32];
    int length = Math.min(bytes.length, 32);
    System.arraycopy(bytes, bytes.length - length, fixed, 32 - length, length);
    return fixed;
  }
}
