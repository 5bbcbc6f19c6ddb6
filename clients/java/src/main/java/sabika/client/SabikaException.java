package sabika.client;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * Thrown when a call has failed.
 *
 * <p>{@link #code} is stable: one of the service (docs/partner.md), of its token endpoint (RFC 6749), or
 * one of this client: {@code connection_failed}, {@code request_timed_out}, {@code signer_failed}, {@code unexpected_answer},
 * {@code interrupted}. {@link #retryable} says that the same call may succeed later. A write that is
 * repeated with {@link #idempotencyKey} is executed at most once.
 */
public class SabikaException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private static final Set<String> LEAVES_UNKNOWN = Set.of(
      "outcome_unknown", "internal_error", "connection_failed", "request_timed_out",
      "unexpected_answer");
  private static final Set<String> SAYS_ENOUGH = Set.of(
      "idempotency_key_conflict", "outcome_unknown", "connection_failed", "request_timed_out",
      "unexpected_answer");

  private final transient Details details;

  /** What is known of a failed call; title, request id, key and body may be null. */
  record Details(
      String code, String message, int status, boolean retryable, String title, String requestId,
      Duration retryAfter, String idempotencyKey, Map<?, ?> body, Throwable cause) {}

  SabikaException(Details details) {
    super(details.code() + ": " + details.message(), details.cause());
    this.details = details;
  }

  /** Makes the exception for a call without a readable answer. */
  static SabikaException local(
      String code, String message, int status, boolean retryable, String key, Throwable cause) {
    return Refused.of(new Details(
        code, message, status, retryable, null, null, Duration.ZERO, key, Map.of(), cause));
  }

  /**
   * Makes the exception for a refused repeat. The refusal says nothing about earlier attempts, which may have
   * been executed, unless the service has found the key, which is the call's.
   */
  static SabikaException stillUnknown(SabikaException refusal, String key) {
    return Refused.of(new Details(
        "outcome_unknown",
        "an earlier attempt may have been carried out; repeat with the same Idempotency-Key",
        refusal.status(), true, null, refusal.requestId(), refusal.retryAfter(),
        key, null, refusal));
  }

  /** Returns whether it is unknown after this exception if the write was executed. */
  boolean leavesUnknown() {
    return LEAVES_UNKNOWN.contains(code());
  }

  /** Returns whether this exception holds for every attempt under the key, not only for the last. */
  boolean saysEnough() {
    return SAYS_ENOUGH.contains(code());
  }

  /** Makes the exception for an answer other than 2xx; header values may be null. */
  static SabikaException refusal(
      int status, String text, String requestId, String retryAfter, String key) {
    Map<?, ?> body = readObject(text);
    boolean passing = status >= 500 || status == 408 || status == 429;
    boolean seconds = retryAfter != null && retryAfter.matches("[0-9]{1,9}");
    Duration asked = seconds ? Duration.ofSeconds(Long.parseLong(retryAfter)) : Duration.ZERO;
    if (body.get("code") instanceof String code) {
      String title = textOf(body, "title", "");
      return Refused.of(new Details(
          code, textOf(body, "detail", title), status, Boolean.TRUE.equals(body.get("retryable")),
          title, textOf(body, "request_id", requestId), asked, key, body, null));
    }
    boolean oauth = body.get("error") instanceof String;
    return Refused.of(new Details(
        textOf(body, "error", "unexpected_answer"),
        oauth
            ? textOf(body, "error_description", "the token request was refused")
            : "the answer (HTTP " + status + ") is not of this API; is a proxy in between?",
        status, passing, null, requestId, asked, key, body, null));
  }

  public String code() {
    return details.code();
  }

  /** The HTTP status; 0 if no answer came. */
  public int status() {
    return details.status();
  }

  public boolean retryable() {
    return details.retryable();
  }

  /** A fixed summary of the code; null if the answer had none. */
  public String title() {
    return details.title();
  }

  /** The request's id, which helps the operator to find the request; null if no answer came. */
  public String requestId() {
    return details.requestId();
  }

  /** The pause that the service requested; zero if it did not. */
  public Duration retryAfter() {
    return details.retryAfter();
  }

  /** The key of the write; null for a read. */
  public String idempotencyKey() {
    return details.idempotencyKey();
  }

  /** Further values that belong to the code, such as {@code needed}; numbers are {@code BigDecimal}. */
  public Map<?, ?> meta() {
    return body().get("meta") instanceof Map<?, ?> meta ? meta : Map.of();
  }

  /** The whole answer, with {@code errors} of a wrong request or the {@code diagnosis} of a probe. */
  public Map<?, ?> body() {
    return details.body() == null ? Map.of() : details.body();
  }

  private static Map<?, ?> readObject(String text) {
    try {
      return Json.read(text) instanceof Map<?, ?> members ? members : Map.of();
    } catch (Json.SyntaxException notJson) {
      return Map.of();
    }
  }

  private static String textOf(Map<?, ?> body, String name, String otherwise) {
    return body.get(name) instanceof String text && !text.isEmpty() ? text : otherwise;
  }
}
