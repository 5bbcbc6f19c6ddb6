/** The kinds of ids: quote, order, withdrawal, funding, event, credential request, request (Decision D7). */
export type IdPrefix = "qt" | "ord" | "wd" | "fund" | "evt" | "cr" | "req";

/** An id on the wire: its prefix and a UUIDv7, so ids of one kind sort by their time. */
export type Id<P extends IdPrefix> = `${P}_${string}`;

// Only lower case, so that each resource has one id.
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Joins a prefix and a UUID (lower case, with hyphens) to an id. */
export function formatId<P extends IdPrefix>(prefix: P, uuid: string): Id<P> {
  return `${prefix}_${uuid}`;
}

/** Returns the UUID of an id with this prefix; undefined when `text` is not such an id. */
export function parseId(prefix: IdPrefix, text: string): string | undefined {
  const start = prefix.length + 1;
  if (text.length !== start + 36 || !text.startsWith(prefix) || text[start - 1] !== "_") {
    return undefined;
  }
  const uuid = text.slice(start);
  return UUID.test(uuid) ? uuid : undefined;
}

/** Returns whether `text` is an id with this prefix. */
export function isId<P extends IdPrefix>(prefix: P, text: string): text is Id<P> {
  return parseId(prefix, text) !== undefined;
}

const HEX: readonly string[] = Array.from(
  { length: 256 },
  (_, n) => n.toString(16).padStart(2, "0"),
);

/**
 * Makes a UUID of version 7 (RFC 9562 §5.7): 48 bits of time, 74 random bits.
 *
 * @param nowMs epoch milliseconds
 * @param random returns that number of random bytes
 */
export function uuidV7(nowMs: number, random: (length: number) => Uint8Array): string {
  const bytes = random(10);
  const time = Math.floor(nowMs).toString(16).padStart(12, "0");
  let uuid =
    `${time.slice(0, 8)}-${time.slice(8)}-${HEX[(bytes[0]! & 0x0f) | 0x70]}${HEX[bytes[1]!]}-` +
    `${HEX[(bytes[2]! & 0x3f) | 0x80]}${HEX[bytes[3]!]}-`;
  for (let n = 4; n < 10; n++) uuid += HEX[bytes[n]!];
  return uuid;
}
