package sabika.client;

/** Whether the service works: {@code ok} or {@code unavailable}. */
public record Health(String status, String environment) {
  static Health read(Members members) {
    return new Health(members.text("status"), members.textOrNull("environment"));
  }
}
