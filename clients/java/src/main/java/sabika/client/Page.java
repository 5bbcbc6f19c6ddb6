package sabika.client;

import java.util.List;

/**
 * A page of a list.
 *
 * @param nextCursor the cursor of the next page; null on the last one
 */
public record Page<T>(List<T> data, String nextCursor) {}
