package sabika.client;

/** Thrown for a JWS that is malformed or does not verify. */
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
