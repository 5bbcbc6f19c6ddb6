/**
 * Whether a Content-Type names this media type, in UTF-8 if it names a charset.
 *
 * @param value the header as received
 * @param mediaType in lower case, without parameters
 */
export function isMediaType(value: string | undefined, mediaType: string): boolean {
  if (value === mediaType) return true;
  const match = value === undefined ? null : MEDIA_TYPE.exec(value);
  return match !== null && match[1]!.toLowerCase() === mediaType;
}

// The only charset that is allowed is the one that applies anyway.
const MEDIA_TYPE =
  /^([A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+)(?:\s*;\s*charset=(?:utf-8|"utf-8"))?\s*$/i;
