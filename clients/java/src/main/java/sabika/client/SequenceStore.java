package sabika.client;

import java.sql.Connection;
import javax.sql.DataSource;

/**
 * Stores the number of the next event, in production in a table. Events are numbered without gaps, so events
 * with smaller numbers are repeats.
 *
 * @param <T> the transaction of a step, in which its effect happens exactly once
 */
public interface SequenceStore<T> {
  /** What is done for an event. */
  @FunctionalInterface
  interface Work<T> {
    void run(T transaction) throws Exception;
  }

  /** Reads the number of the next event. */
  long next() throws Exception;

  /**
   * Does the work for the event with this number and stores the next number: both or neither.
   *
   * @return false, and does nothing, if this is not the next event
   */
  boolean step(long sequence, Work<T> work) throws Exception;

  /** Keeps the number in memory until the program ends, for trials; it begins with event 1. */
  static SequenceStore<Void> inMemory() {
    return new SequenceStore<>() {
      private long next = 1;

      @Override
      public synchronized long next() {
        return next;
      }

      @Override
      public synchronized boolean step(long sequence, Work<Void> work) throws Exception {
        if (sequence != next) return false;
        work.run(null);
        next++;
        return true;
      }
    };
  }

  /**
   * Keeps the number in PostgreSQL, in a table that you make once: {@code create table sabika_receivers (name
   * text primary key, next_sequence bigint not null)}. What is written with the step's connection has its
   * effect exactly once, whichever process is killed at any moment, and however many processes receive.
   *
   * @param name that of this receiver among several in one database, such as {@code sabika}
   * @param first the number of the first event to handle
   */
  static SequenceStore<Connection> inPostgres(DataSource source, String name, long first) {
    return new SequenceInPostgres(source, name, first);
  }
}
