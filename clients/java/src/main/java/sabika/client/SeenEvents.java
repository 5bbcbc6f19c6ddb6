package sabika.client;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Remembers which events were handled. In production use a table with a unique column, written in the
 * transaction of the event's effect.
 */
public interface SeenEvents {
  boolean has(String id) throws Exception;

  void add(String id) throws Exception;

  /** Remembers the last ten thousand ids in memory, for trials with one receiver. */
  static SeenEvents inMemory() {
    Set<String> ids = new LinkedHashSet<>();
    return new SeenEvents() {
      @Override
      public boolean has(String id) {
        return ids.contains(id);
      }

      @Override
      public void add(String id) {
        ids.add(id);
        if (ids.size() <= 10_000) return;
        Iterator<String> oldest = ids.iterator();
        oldest.next();
        oldest.remove();
      }
    };
  }
}
