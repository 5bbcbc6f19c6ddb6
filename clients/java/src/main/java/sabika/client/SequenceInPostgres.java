package sabika.client;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Keeps the number of the next event in PostgreSQL. */
record SequenceInPostgres(DataSource source, String name, long first)
    implements SequenceStore<Connection> {
  @Override
  public long next() throws SQLException {
    try (Connection connection = source.getConnection();
        PreparedStatement insert = connection.prepareStatement(
            "insert into sabika_receivers (name, next_sequence) values (?, ?) on conflict do nothing");
        PreparedStatement select = connection.prepareStatement(
            "select next_sequence from sabika_receivers where name = ?")) {
      connection.setAutoCommit(true);
      insert.setString(1, name);
      insert.setLong(2, first);
      insert.executeUpdate();
      select.setString(1, name);
      try (ResultSet rows = select.executeQuery()) {
        rows.next();
        return rows.getLong(1);
      }
    }
  }

  @Override
  public boolean step(long sequence, Work<Connection> work) throws Exception {
    try (Connection connection = source.getConnection()) {
      connection.setAutoCommit(false);
      try {
        boolean isNext = advance(connection, sequence);
        if (isNext) work.run(connection);
        connection.commit();
        return isNext;
      } catch (Exception failed) {
        connection.rollback();
        throw failed;
      }
    }
  }

  /** Takes the row's lock: other processes wait, and then find a greater number. */
  private boolean advance(Connection connection, long sequence) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(
        "update sabika_receivers set next_sequence = next_sequence + 1"
            + " where name = ? and next_sequence = ?")) {
      update.setString(1, name);
      update.setLong(2, sequence);
      return update.executeUpdate() == 1;
    }
  }
}
