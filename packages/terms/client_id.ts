import { refuse } from "@sabika/protocol";
import type { AdminOutcome } from "./refusal.ts";

/**
 * Checks a client id. It is also a common name, part of a URI and a folder's name, so it has 3 to
 * 64 lower-case letters, digits and inner hyphens.
 */
export function readClientId(text: string): AdminOutcome<string> {
  if (/^[a-z0-9](?:[a-z0-9]|-(?!-)){1,62}[a-z0-9]$/.test(text)) return { ok: true, value: text };
  return refuse(
    "invalid_client_id",
    "a client id has 3 to 64 lower-case letters, digits and single hyphens between them",
  );
}

/** Checks a partner's name: 1 to 128 characters in one line. */
export function readPartnerName(text: string): AdminOutcome<string> {
  const name = text.trim();
  const hasControl = Array.from(name).some((c) => c < " " || (c >= "\x7f" && c <= "\x9f"));
  if (name !== "" && name.length <= 128 && !hasControl) return { ok: true, value: name };
  return refuse("invalid_name", "a name has 1 to 128 characters on one line");
}
