import { readFile, stat } from "node:fs/promises";
import { encodeUtf8, equalInConstantTime } from "@sabika/protocol";

/** The secrets that identify the sidecar to this instance; two are valid during a rotation. */
export interface EdgeSecrets {
  /** Whether `secret` is one of them, in a time that does not depend on where it differs. */
  knows(secret: string): boolean;
  /** Stops reading the file. */
  close(): void;
}

const EDGE_SECRET_MIN_LENGTH = 32;

/**
 * Reads one or two secrets from a file, one per line, and again whenever the file changes. A change
 * that cannot be read leaves the secrets as they were.
 *
 * @throws {Error} when the file cannot be read at the start, or holds something else
 */
export async function watchEdgeSecrets(
  file: string,
  { everyMs = 500, onError }: { everyMs?: number; onError: (error: unknown) => void },
): Promise<EdgeSecrets> {
  let version = await versionOf(file);
  let secrets = readEdgeSecrets(await readFile(file, "utf8"));
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  async function poll(): Promise<void> {
    try {
      const found = await versionOf(file);
      if (found !== version) {
        secrets = readEdgeSecrets(await readFile(file, "utf8"));
        version = found;
      }
    } catch (error) {
      onError(error);
    }
    if (!closed) timer = setTimeout(poll, everyMs);
  }
  timer = setTimeout(poll, everyMs);

  return {
    knows(secret) {
      const bytes = encodeUtf8(secret);
      let known = false;
      // Never ended early, so that the time does not reveal which one matches.
      for (const valid of secrets) known = equalInConstantTime(bytes, valid) || known;
      return known;
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Reads the lines of an edge secret file.
 *
 * @throws {Error} unless there are one or two, each of 32 visible ASCII characters or more
 */
export function readEdgeSecrets(text: string): readonly Uint8Array[] {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  if (lines.length < 1 || lines.length > 2) {
    throw new Error("the edge secret file must hold one or two secrets, one per line");
  }
  for (const line of lines) {
    if (line.length < EDGE_SECRET_MIN_LENGTH || !/^[\x21-\x7e]+$/.test(line)) {
      throw new Error(
        `an edge secret must have at least ${EDGE_SECRET_MIN_LENGTH} visible ASCII characters`,
      );
    }
  }
  return lines.map(encodeUtf8);
}

async function versionOf(file: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(file);
  return `${mtimeMs} ${size} ${ino}`;
}
