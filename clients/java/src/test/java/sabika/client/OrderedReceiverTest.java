package sabika.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class OrderedReceiverTest {
  private static final String SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  private static final Clock CLOCK = Clock.fixed(Instant.ofEpochSecond(1795167000), ZoneOffset.UTC);

  private final List<Long> done = new ArrayList<>();

  private static <T> OrderedReceiver<T> receiver(
      SequenceStore<T> sequence, OrderedReceiver.Handler<T> handler,
      Function<EventFilter, Pages<Event>> events, Duration patience) {
    return new OrderedReceiver<>(List.of(SECRET), handler, sequence, events, patience, CLOCK);
  }

  /** Makes a receiver in memory that waits as long as it takes. */
  private static OrderedReceiver<Void> patient(OrderedReceiver.Handler<Void> handler) {
    return receiver(SequenceStore.inMemory(), handler, filter -> null, Duration.ofMinutes(1));
  }

  private static int deliver(OrderedReceiver<?> receiver, long number) {
    String id = "evt_" + number;
    byte[] body = ("{\"id\":\"" + id + "\",\"type\":\"ping\",\"environment\":\"sandbox\",\"sequence\":"
        + number + ",\"timestamp\":\"2026-11-20T09:30:00.000Z\",\"data\":{\"object\":{}}}").getBytes(UTF_8);
    String timestamp = String.valueOf(CLOCK.instant().getEpochSecond());
    Map<String, String> headers = Map.of(
        "webhook-id", id,
        "webhook-timestamp", timestamp,
        "webhook-signature", Webhooks.sign(SECRET, id, timestamp, body));
    return receiver.receive(headers::get, body);
  }

  @Test
  void anEventWaitsForAnEarlierOneThatComesMeanwhile() {
    OrderedReceiver<Void> receiver = patient((event, none) -> done.add(event.sequence()));
    var second = CompletableFuture.supplyAsync(() -> deliver(receiver, 2));
    assertEquals(204, deliver(receiver, 1));
    assertEquals(204, second.join());
    assertEquals(List.of(1L, 2L), done);
    assertEquals(204, deliver(receiver, 1));
    assertEquals(2, done.size());
    assertEquals(401, receiver.receive(name -> null, new byte[0]));
  }

  @Test
  void noLaterEventIsHandledBeforeOneThatFailed() {
    List<Long> attempts = new ArrayList<>();
    OrderedReceiver<Void> receiver = patient((event, none) -> {
      attempts.add(event.sequence());
      if (attempts.size() == 1) throw new IllegalStateException("the database is away");
      done.add(event.sequence());
    });
    assertEquals(500, deliver(receiver, 1));
    assertEquals(204, deliver(receiver, 1));
    assertEquals(204, deliver(receiver, 2));
    assertEquals(List.of(1L, 2L), done);
  }

  @Test
  void eventsThatNoWebhookDeliveredAreFetched() throws Exception {
    Client client = Client.of(SandboxKit.open());
    for (int i = 0; i < 3; i++) client.fund(new BigDecimal("1"), null);
    OrderedReceiver<Void> receiver = receiver(
        SequenceStore.inMemory(), (event, none) -> done.add(event.sequence()), client::events,
        Duration.ZERO);
    assertEquals(204, deliver(receiver, 4));
    assertEquals(List.of(1L, 2L, 3L, 4L), done);
    assertEquals(500, deliver(receiver, 1L << 40), "there is no such event");
  }

  private static PGSimpleDataSource database() throws SQLException {
    String url = System.getenv("SABIKA_PARTNER_DATABASE");
    Assumptions.assumeTrue(url != null, "SABIKA_PARTNER_DATABASE names no database");
    URI address = URI.create(url);
    String[] user = address.getUserInfo().split(":");
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl("jdbc:postgresql://" + address.getAuthority().replaceFirst(".*@", "") + address.getPath());
    source.setUser(user[0]);
    source.setPassword(user[1]);
    try (Connection connection = source.getConnection(); Statement make = connection.createStatement()) {
      make.execute("drop table if exists sabika_receivers, effects");
      make.execute("create table sabika_receivers (name text primary key, next_sequence bigint not null)");
      make.execute("create table effects (receiver text, number bigint)");
    }
    return source;
  }

  private static void write(Connection transaction, String receiver, long number) throws SQLException {
    try (Statement insert = transaction.createStatement()) {
      insert.execute("insert into effects values ('" + receiver + "', " + number + ")");
    }
  }

  private static List<Long> effects(PGSimpleDataSource source, String receiver) throws SQLException {
    List<Long> numbers = new ArrayList<>();
    try (Connection connection = source.getConnection();
        Statement select = connection.createStatement();
        ResultSet rows = select.executeQuery(
            "select number from effects where receiver = '" + receiver + "' order by ctid")) {
      while (rows.next()) numbers.add(rows.getLong(1));
    }
    return numbers;
  }

  @Test
  void processesThatShareADatabaseHandleEachEventOnceAndInOrder() throws Exception {
    PGSimpleDataSource source = database();
    ExecutorService threads = Executors.newCachedThreadPool();
    List<Future<Integer>> answers = new ArrayList<>();
    for (int process = 0; process < 2; process++) {
      OrderedReceiver<Connection> receiver = receiver(
          SequenceStore.inPostgres(source, "shared", 1),
          (event, transaction) -> write(transaction, "shared", event.sequence()), filter -> null,
          Duration.ofMinutes(1));
      for (long number = 20; number > 0; number--) {
        long delivered = number;
        answers.add(threads.submit(() -> deliver(receiver, delivered)));
      }
    }
    for (Future<Integer> answer : answers) assertEquals(204, answer.get());
    threads.shutdown();
    assertEquals(LongStream.rangeClosed(1, 20).boxed().toList(), effects(source, "shared"));
  }

  @Test
  void whatAFailedStepWroteIsTakenBack() throws Exception {
    PGSimpleDataSource source = database();
    SequenceStore<Connection> sequence = SequenceStore.inPostgres(source, "failing", 7);
    assertEquals(7, sequence.next());
    assertThrows(IllegalStateException.class, () -> sequence.step(7, transaction -> {
      write(transaction, "failing", 7);
      throw new IllegalStateException("after it wrote");
    }));
    assertEquals(7, sequence.next());
    assertFalse(sequence.step(8, transaction -> write(transaction, "failing", 8)));
    assertEquals(true, sequence.step(7, transaction -> write(transaction, "failing", 70)));
    assertEquals(8, sequence.next());
    assertEquals(List.of(70L), effects(source, "failing"));
  }
}
