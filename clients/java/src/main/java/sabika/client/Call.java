package sabika.client;

import java.util.UUID;

/** A call of the API, whatever the number of its attempts; what does not apply is null. */
record Call(
    String method,
    String path,
    String mediaType,
    String body,
    boolean token,
    boolean signed,
    String idempotencyKey) {
  static Call get(String path) {
    return new Call("GET", path, null, null, true, false, null);
  }

  /** A write; a fresh key when none is given. */
  static Call write(String path, String body, boolean signed, String idempotencyKey) {
    String key = idempotencyKey == null ? UUID.randomUUID().toString() : idempotencyKey;
    return new Call("POST", path, "application/json", body, true, signed, key);
  }
}
