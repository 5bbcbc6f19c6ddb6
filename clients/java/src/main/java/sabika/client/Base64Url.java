package sabika.client;

import java.util.Base64;

/** Base64url without padding (RFC 7515 §2). */
final class Base64Url {
  private Base64Url() {}

  static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Decodes a text; null unless it is exactly what {@link #encode} returns. */
  static byte[] decode(String text) {
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(text);
      return encode(bytes).equals(text) ? bytes : null;
    } catch (IllegalArgumentException wrong) {
      return null;
    }
  }
}
