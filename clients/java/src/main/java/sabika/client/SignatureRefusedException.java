package sabika.client;

/** A JWS is malformed or does not fit. */
public final class SignatureRefusedException extends Exception {
  private static final long serialVersionUID = 1;

  SignatureRefusedException(String code) {
    super(code);
  }

  /** The name of the refusal, as in docs/vectors/jws.json. */
  public String code() {
    return getMessage();
  }
}
