package sabika.client;

/** Thrown for a delivery that does not verify. */
public final class WebhookRefusedException extends Exception {
  private static final long serialVersionUID = 1;

  WebhookRefusedException(String reason) {
    super(reason);
  }

  /** The name of the refusal, as in docs/vectors/webhook.json. */
  public String reason() {
    return getMessage();
  }
}
