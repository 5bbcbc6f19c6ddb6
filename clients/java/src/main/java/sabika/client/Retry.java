package sabika.client;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * How often and how patiently a call is repeated.
 *
 * @param attempts in all, the first one included
 * @param longestDelay no pause is longer, and an answer that asks for a longer one is not waited for
 */
public record Retry(int attempts, Duration firstDelay, Duration longestDelay) {
  /** Six attempts within about six seconds. */
  public static final Retry DEFAULT = new Retry(6, Duration.ofMillis(200), Duration.ofSeconds(5));

  /** Doubling, half of it by chance, never under Retry-After; empty: give up. */
  Optional<Duration> pause(int attempt, SabikaException failure, RandomGenerator chance) {
    // A clock that was corrected and is refused again will not come right by itself.
    boolean hopeless = !failure.retryable() || failure.code().equals("timestamp_out_of_window");
    Duration asked = failure.retryAfter();
    if (hopeless || attempt >= attempts || asked.compareTo(longestDelay) > 0) return Optional.empty();
    double doubled = firstDelay.toMillis() * Math.pow(2, attempt - 1);
    double full = Math.min(longestDelay.toMillis(), doubled);
    long pause = Math.round(full / 2 + full / 2 * chance.nextDouble());
    return Optional.of(Duration.ofMillis(Math.max(pause, asked.toMillis())));
  }
}
