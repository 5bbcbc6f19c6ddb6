package sabika.client;

/** Whether the service works: {@code ok} or {@code unavailable}. */
public record Health(String status, String environment) {
  static Health read(Members of) {
    return new Health(of.text("status"), of.textOrNull("environment"));
  }
}
