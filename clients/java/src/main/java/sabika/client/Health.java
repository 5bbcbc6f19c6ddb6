package sabika.client;

/** The state of the service: {@code ok}, or {@code unavailable} with a null environment. */
public record Health(String status, String environment) {
  static Health read(Members members) {
    return new Health(members.text("status"), members.textOrNull("environment"));
  }
}
