/**
 * Whether every component on the way reads a request target, as received, in the same way.
 *
 * HTTP libraries rewrite dot segments, escapes and doubled slashes, so a path that could be
 * rewritten would be signed as one thing and routed as another. Only plain segments pass; the
 * query is free, because it is signed and never decoded here.
 *
 * @example isPlainTarget("/v1/orders?x=%zz") // true
 * @example isPlainTarget("/v1/./orders")     // false
 * @see Decision D20
 */
export function isPlainTarget(target: string): boolean {
  return PLAIN_TARGET.test(target);
}

const PLAIN_TARGET =
  /^(?:\/\.well-known)?(?:\/[A-Za-z0-9_-][A-Za-z0-9_.~-]*)+(?:\?[\x21-\x22\x24-\x7e]*)?$/;
