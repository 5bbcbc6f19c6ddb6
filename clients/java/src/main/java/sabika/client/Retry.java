package sabika.client;

import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Sets how often a call is repeated and how long the pauses are.
 *
 * @param attempts the number of attempts, including the first
 * @param firstDelay the pause after the first failure, before jitter; further ones double
 * @param longestDelay the longest pause; if an answer asks for a longer one, the call fails at once
 */
public record Retry(int attempts, Duration firstDelay, Duration longestDelay) {
  /** Six attempts within about six seconds. */
  public static final Retry DEFAULT = new Retry(6, Duration.ofMillis(200), Duration.ofSeconds(5));

  /** Returns a pause that doubles, is half random, and not below Retry-After; empty: do not repeat. */
  Optional<Duration> pause(int attempt, SabikaException failure, RandomGenerator chance) {
    // The clock was corrected once already; another attempt would be refused too.
    boolean hopeless = !failure.retryable() || failure.code().equals("timestamp_out_of_window");
    Duration asked = failure.retryAfter();
    if (hopeless || attempt >= attempts || asked.compareTo(longestDelay) > 0) return Optional.empty();
    Duration pause = jittered(attempt, chance);
    return Optional.of(pause.compareTo(asked) > 0 ? pause : asked);
  }

  /** Returns the pause after so many failures in a row. */
  Duration jittered(int failures, RandomGenerator chance) {
    double doubled = firstDelay.toMillis() * Math.pow(2, failures - 1);
    double full = Math.min(longestDelay.toMillis(), doubled);
    return Duration.ofMillis(Math.round(full / 2 + full / 2 * chance.nextDouble()));
  }
}
