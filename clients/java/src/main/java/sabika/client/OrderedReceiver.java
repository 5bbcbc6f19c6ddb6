package sabika.client;

import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Function;

/**
 * Receives like {@link WebhookReceiver}, but handles each event once and in sequence: repeats are acknowledged
 * and dropped, early events wait for earlier ones, and what is missing is fetched. If the handler throws, no
 * later event is handled until this one succeeds. Safe for use by several threads.
 *
 * @param <T> the transaction of the sequence's step
 */
public final class OrderedReceiver<T> {
  private static final Duration PATIENCE = Duration.ofMillis(200);
  /** The number of events on a page. */
  private static final long LIMIT_MAX = 100;

  /** Handles an event; what it writes in the transaction has its effect exactly once. */
  @FunctionalInterface
  public interface Handler<T> {
    void handle(Event event, T transaction) throws Exception;
  }

  private final List<String> secrets;
  private final Handler<T> handler;
  private final SequenceStore<T> sequence;
  private final Function<EventFilter, Pages<Event>> events;
  private final Duration patience;
  private final Clock clock;
  private final Object turn = new Object();
  /** What was fetched and not yet handled, by number; only whose turn it is looks. */
  private Map<Long, Event> fetched = Map.of();
  /** Delivered events that wait for their turn, by number; notified of each that comes. */
  private final Map<Long, Event> held = new HashMap<>();

  /**
   * Creates a receiver that waits 200 ms for earlier events, and uses the system clock.
   *
   * @param secrets the secrets that may have signed; two during a rotation
   * @param events lists what no webhook delivered: {@code client::events}
   */
  public OrderedReceiver(
      List<String> secrets, Handler<T> handler, SequenceStore<T> sequence,
      Function<EventFilter, Pages<Event>> events) {
    this(secrets, handler, sequence, events, PATIENCE, Clock.systemUTC());
  }

  /** @param patience how long to wait for earlier events before fetching them */
  public OrderedReceiver(
      List<String> secrets, Handler<T> handler, SequenceStore<T> sequence,
      Function<EventFilter, Pages<Event>> events, Duration patience, Clock clock) {
    this.secrets = List.copyOf(secrets);
    this.handler = handler;
    this.sequence = sequence;
    this.events = events;
    this.patience = patience;
    this.clock = clock;
  }

  /**
   * Verifies a delivery and handles its event, after all earlier ones.
   *
   * @param header returns a header by its lower-case name, or null
   * @param body the raw body, before any parsing
   * @return the status to answer: 204 handled (now or before), 400 not an event, 401 not genuine, 500 if
   *     something threw: the event is then delivered again later
   * @throws IllegalArgumentException if a secret is not {@code whsec_<base64>}
   */
  public int receive(Function<String, String> header, byte[] body) {
    Delivery delivery = Delivery.read(secrets, header, body, clock.instant());
    if (delivery.event() == null) return delivery.refusal();
    long number = delivery.event().sequence();
    synchronized (held) {
      held.put(number, delivery.event());
      held.notifyAll();
    }
    try {
      handleUntil(number);
      return 204;
    } catch (Exception failed) {
      if (failed instanceof InterruptedException) Thread.currentThread().interrupt();
      return 500;
    } finally {
      synchronized (held) {
        held.remove(number);
      }
    }
  }

  /** Handles all events up to one, which may have been handled before. */
  private void handleUntil(long last) throws Exception {
    synchronized (turn) {
      for (long number = sequence.next(); number <= last; number = sequence.next()) {
        Event event = find(number);
        // False: another process has handled it.
        sequence.step(number, transaction -> handler.handle(event, transaction));
      }
    }
  }

  private Event find(long number) throws InterruptedException {
    Event found = fetched.get(number);
    return found == null ? await(number) : found;
  }

  /** Waits for a delivery, and else fetches the events up to the next one that was delivered. */
  private Event await(long number) throws InterruptedException {
    long limit;
    synchronized (held) {
      long deadline = System.nanoTime() + patience.toNanos();
      while (!held.containsKey(number)) {
        long left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
        if (left <= 0) break;
        held.wait(left);
      }
      if (held.containsKey(number)) return held.get(number);
      limit = held.keySet().stream().filter(later -> later > number)
          .mapToLong(later -> later - number).min().orElse(1);
    }
    EventFilter filter = EventFilter.ALL.withAfterSequence(number - 1)
        .withLimit((int) Math.min(limit, LIMIT_MAX));
    Map<Long, Event> page = new HashMap<>();
    for (Event event : events.apply(filter).page().data()) page.put(event.sequence(), event);
    fetched = page;
    if (page.containsKey(number)) return page.get(number);
    throw new NoSuchElementException("the service has no event " + number);
  }
}
