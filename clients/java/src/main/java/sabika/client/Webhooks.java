package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.Collection;
import java.util.function.Function;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signatures of webhooks (Standard Webhooks; Decision D33). */
public final class Webhooks {
  /** How far webhook-timestamp may be from the receiver's clock, inclusive. */
  public static final int TOLERANCE_SECONDS = 300;

  private static final Pattern TIMESTAMP = Pattern.compile("[1-9][0-9]{0,10}");
  private static final String PREFIX = "whsec_";

  private Webhooks() {}

  /**
   * Makes a signature, {@code v1,<base64>}; the timestamp is in Unix seconds.
   *
   * @throws IllegalArgumentException if the secret is not {@code whsec_<base64>}
   */
  public static String sign(String secret, String id, String timestamp, byte[] body) {
    return "v1," + Base64.getEncoder().encodeToString(hmac(secret, id, timestamp, body));
  }

  /**
   * Verifies a delivery over its raw body: one of its signatures must fit one of the secrets (two during
   * a rotation).
   *
   * @param header returns a header by its lower-case name, or null
   * @throws IllegalArgumentException if a secret is not {@code whsec_<base64>}
   */
  public static void verify(
      Collection<String> secrets, Function<String, String> header, byte[] body, Instant now)
      throws WebhookRefusedException {
    String id = header.apply("webhook-id");
    String timestamp = header.apply("webhook-timestamp");
    String signatures = header.apply("webhook-signature");
    if (isMissing(id) || isMissing(timestamp) || isMissing(signatures)) {
      throw new WebhookRefusedException("header_missing");
    }
    if (!TIMESTAMP.matcher(timestamp).matches()) {
      throw new WebhookRefusedException("timestamp_invalid");
    }
    if (Math.abs(now.getEpochSecond() - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) {
      throw new WebhookRefusedException("timestamp_out_of_window");
    }
    boolean fits = false;
    for (String secret : secrets) {
      byte[] expected = hmac(secret, id, timestamp, body);
      for (String part : signatures.split(" ")) {
        byte[] received = part.startsWith("v1,") ? decode(part.substring(3)) : null;
        // MessageDigest.isEqual takes the same time wherever the values differ.
        fits |= received != null && MessageDigest.isEqual(received, expected);
      }
    }
    if (!fits) throw new WebhookRefusedException("signature_mismatch");
  }

  private static boolean isMissing(String header) {
    return header == null || header.isEmpty();
  }

  private static byte[] hmac(String secret, String id, String timestamp, byte[] body) {
    byte[] key = secret.startsWith(PREFIX) ? decode(secret.substring(PREFIX.length())) : null;
    if (key == null || key.length == 0) {
      throw new IllegalArgumentException("a webhook secret must be whsec_ and base64");
    }
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update((id + "." + timestamp + ".").getBytes(UTF_8));
      return mac.doFinal(body);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible); // Every Java platform has HmacSHA256.
    }
  }

  /** Decodes base64; null unless the text is exactly what the encoder writes. */
  private static byte[] decode(String text) {
    try {
      byte[] bytes = Base64.getDecoder().decode(text);
      return Base64.getEncoder().encodeToString(bytes).equals(text) ? bytes : null;
    } catch (IllegalArgumentException wrong) {
      return null;
    }
  }
}
