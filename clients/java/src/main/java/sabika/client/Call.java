package sabika.client;

import java.util.UUID;

/** Describes an API call, which may take several attempts; members that do not apply are null. */
record Call(
    String method,
    String path,
    String accept,
    String mediaType,
    String body,
    boolean token,
    boolean signed,
    String idempotencyKey) {
  static final String JSON = "application/json";
  private static final String STREAM = "text/event-stream";

  /** Returns whether the answer's body comes without end. */
  boolean isStream() {
    return accept.equals(STREAM);
  }

  static Call stream(String path) {
    return get(path, STREAM);
  }

  static Call get(String path) {
    return get(path, JSON);
  }

  static Call get(String path, String accept) {
    return new Call("GET", path, accept, null, null, true, false, null);
  }

  /** Describes a read that needs no token. */
  static Call open(String path) {
    return new Call("GET", path, JSON, null, null, false, false, null);
  }

  /** Describes a write; the key is new if it is null. */
  static Call write(String path, String body, boolean signed, String idempotencyKey) {
    String key = idempotencyKey == null ? UUID.randomUUID().toString() : idempotencyKey;
    return new Call("POST", path, JSON, JSON, body, true, signed, key);
  }
}
