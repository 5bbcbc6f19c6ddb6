package sabika.client;

import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A list: iterating over it gives all items, {@link #page} one page of them. Pages are fetched when needed. */
public final class Pages<T> implements Iterable<T> {
  private final Sender sender;
  private final String path;
  private final String query;
  private final Function<Members, T> read;

  Pages(Sender sender, String path, String query, Function<Members, T> read) {
    this.sender = sender;
    this.path = path;
    this.query = query;
    this.read = read;
  }

  /** Fetches the first page, or that at the filter's cursor. */
  public Page<T> page() {
    return fetch(query);
  }

  /** Fetches the page at a cursor. */
  public Page<T> page(String cursor) {
    String others = Arrays.stream(query.split("[?&]"))
        .filter(parameter -> !parameter.isEmpty() && !parameter.startsWith("cursor="))
        .map(parameter -> parameter + "&").collect(Collectors.joining());
    return fetch("?" + others + "cursor=" + Query.encode(cursor));
  }

  private Page<T> fetch(String parameters) {
    return sender.send(Call.get(path + parameters), page -> new Page<>(
        page.list("data").stream().map(read).toList(), page.textOrNull("next_cursor")));
  }

  /** Returns all items as a stream, in their order. */
  public Stream<T> stream() {
    return StreamSupport.stream(spliterator(), false);
  }

  @Override
  public Iterator<T> iterator() {
    return new Iterator<>() {
      private Page<T> page = Pages.this.page();
      private int at;

      @Override
      public boolean hasNext() {
        while (at == page.data().size() && page.nextCursor() != null) {
          page = Pages.this.page(page.nextCursor());
          at = 0;
        }
        return at < page.data().size();
      }

      @Override
      public T next() {
        if (!hasNext()) throw new NoSuchElementException();
        return page.data().get(at++);
      }
    };
  }
}
