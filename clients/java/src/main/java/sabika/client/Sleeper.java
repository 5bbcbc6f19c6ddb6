package sabika.client;

import java.time.Duration;

/** Waits between two attempts. */
@FunctionalInterface
public interface Sleeper {
  void sleep(Duration pause) throws InterruptedException;
}
