package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Events as they come, without end: a stream that breaks is opened again behind the last event. One thread
 * iterates over it, and any may close it, after which {@link #hasNext} is false.
 */
public final class EventStream implements Iterator<Event>, Iterable<Event>, AutoCloseable {
  /** How long a stream may be silent: four heartbeats of the service. */
  private static final int SILENCE_SECONDS = 60;

  private final Sender sender;
  private final AtomicLong lines = new AtomicLong();
  /** What is read; closing it ends a read, which closing the reader would wait for. */
  private volatile InputStream open;
  private BufferedReader reader;
  private Object connection;
  private volatile boolean closed;
  private long after;
  private int failures = -1;
  private Event next;

  EventStream(Sender sender, long afterSequence) {
    this.sender = sender;
    this.after = afterSequence;
  }

  @Override
  public Iterator<Event> iterator() {
    return this;
  }

  /** Waits for the next event; false once the stream is closed. Throws SabikaException. */
  @Override
  public boolean hasNext() {
    while (next == null && !closed) {
      try {
        // After a reload it is opened again with the new certificate.
        if (open != null && connection != sender.connection()) leave();
        if (open == null) open();
        next = read();
        if (next == null) leave();
      } catch (IOException broken) {
        leave();
      } catch (SabikaException failed) {
        leave();
        if (!failed.retryable()) throw failed;
      }
    }
    return next != null;
  }

  @Override
  public Event next() {
    if (!hasNext()) throw new NoSuchElementException();
    Event event = next;
    next = null;
    return event;
  }

  /** Ends the stream, also while another thread waits for its next event. */
  @Override
  public void close() {
    closed = true;
    leave();
  }

  private void open() {
    Call call = Call.stream("/v1/events/stream?after_sequence=" + after);
    if (++failures > 0) sender.pauseAfter(failures, call);
    connection = sender.connection();
    open = sender.open(call);
    reader = new BufferedReader(new InputStreamReader(open, UTF_8));
    watch(open, lines.get());
    // It may have been closed meanwhile.
    if (closed) leave();
  }

  /** Closes a stream that was silent for too long. */
  private void watch(InputStream watched, long before) {
    CompletableFuture.delayedExecutor(SILENCE_SECONDS, TimeUnit.SECONDS).execute(() -> {
      if (open != watched) return;
      if (lines.get() == before) closeQuietly(watched);
      else watch(watched, lines.get());
    });
  }

  /** Reads until an event that is new; returns null at the end of the stream. */
  private Event read() throws IOException {
    String name = "";
    StringBuilder data = new StringBuilder();
    for (String line = line(); line != null; line = line()) {
      int colon = line.indexOf(':');
      String field = colon < 0 ? line : line.substring(0, colon);
      String value = colon < 0 ? "" : line.substring(colon + 1).replaceFirst("^ ", "");
      if (field.equals("event")) name = value;
      if (field.equals("data")) data.append(data.isEmpty() ? "" : "\n").append(value);
      if (connection != sender.connection()) return null;
      if (!line.isEmpty() || data.isEmpty()) continue;
      // Another message says that the service ends the stream.
      if (!name.isEmpty() && !name.equals("message")) return null;
      Event event = eventOf(data.toString());
      data.setLength(0);
      failures = 0;
      if (event.sequence() <= after) continue;
      after = event.sequence();
      return event;
    }
    return null;
  }

  private String line() throws IOException {
    String line = reader.readLine();
    lines.incrementAndGet();
    return line;
  }

  private static Event eventOf(String data) {
    try {
      return Event.read(data);
    } catch (IllegalArgumentException wrong) {
      String message = "the stream of events is not of the promised form";
      throw SabikaException.local("unexpected_answer", message, 200, false, null, wrong);
    }
  }

  private void leave() {
    InputStream left = open;
    open = null;
    if (left != null) closeQuietly(left);
  }

  private static void closeQuietly(InputStream body) {
    try {
      body.close();
    } catch (IOException alreadyBroken) {
      // It is left anyway.
    }
  }
}
