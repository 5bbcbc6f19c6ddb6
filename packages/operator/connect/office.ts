import { type ActArguments, argumentsText, type PersonsKey } from "@sabika/identity/signatures";
import {
  canonicalJson,
  encodeUtf8,
  isJsonObject,
  type JsonValue,
  signRequest,
  uuidV7,
} from "@sabika/protocol";
import { readFileSync } from "node:fs";
import type { Surroundings } from "../context.ts";
import { RefusedError, UsageError } from "../outcome.ts";
import { readKeyOf } from "./ask_act.ts";
import type { CommonFlags } from "./common_flags.ts";
import type { Engine } from "./engine.ts";
import { readAnswer } from "./read_answer.ts";
import { sendAct } from "./send_act.ts";
import { type Answer, createTransport } from "./transport.ts";

/** The path of the Admin API. */
const BASE = "/admin/v1";

/** The operator's office, called with a person's key (Decision D82). */
export interface Office extends Engine {
  /**
   * Reads the resource at a path below `/admin/v1`, with its query.
   *
   * @returns undefined when it does not exist
   * @throws RefusedError for every other refusal
   */
  read(target: string): Promise<JsonValue | undefined>;
}

/** The office that a flag or the environment names; undefined if none, or if a flag names a database. */
export function findOffice(flags: CommonFlags, surroundings: Surroundings): Office | undefined {
  const { env } = surroundings;
  const isAtDatabase = flags.databaseUrl !== undefined || flags.data !== undefined ||
    flags.breakGlass !== undefined;
  if (isAtDatabase && flags.adminUrl !== undefined) {
    throw new UsageError("--admin-url excludes --database-url, --data and --break-glass");
  }
  const url = flags.adminUrl ?? (isAtDatabase ? undefined : env["SABIKA_ADMIN_URL"]);
  if (url === undefined) return undefined;
  return openOffice(readOrigin(url), flags, surroundings);
}

function openOffice(origin: string, flags: CommonFlags, surroundings: Surroundings): Office {
  const { env, now, random } = surroundings;
  const authority = flags.adminAuthority ?? env["SABIKA_ADMIN_AUTHORITY_FILE"];
  const send = createTransport(authority === undefined ? undefined : readAuthority(authority));
  let key: Promise<PersonsKey> | undefined;

  async function requireKey(): Promise<PersonsKey> {
    const found = await readKeyOf({ flags, surroundings });
    if (found !== undefined) return found;
    throw keyIsMissing();
  }

  async function sendSigned(
    { method, url, body }: { method: "GET" | "POST"; url: string; body?: Uint8Array },
  ): Promise<Answer> {
    const signed = await signRequest({
      method,
      url,
      body: body ?? new Uint8Array(),
      timestampSeconds: Math.floor(now() / 1000),
      nonce: uuidV7(now(), random),
      ...await (key ??= requireKey()),
    });
    const headers: Record<string, string> = { ...signed };
    if (body === undefined) return await send({ method, url, headers });
    headers["content-type"] = "application/json";
    return await send({ method, url, headers, body });
  }

  async function read(target: string): Promise<JsonValue | undefined> {
    try {
      return readAnswer(await sendSigned({ method: "GET", url: `${origin}${BASE}${target}` }));
    } catch (error) {
      if (error instanceof RefusedError && error.code === "not_found") return undefined;
      throw error;
    }
  }

  return {
    read,
    async describe(name, input) {
      const url = `${origin}${BASE}/acts/stage`;
      const body = encodeUtf8(
        `{"name":${JSON.stringify(name)},"arguments":${argumentsText(input)}}`,
      );
      const json = readAnswer(await sendSigned({ method: "POST", url, body }));
      const act = isJsonObject(json) ? json.get("act") : undefined;
      const described = isJsonObject(act) ? act.get("arguments") : undefined;
      return JSON.parse(canonicalJson(described ?? new Map())) as ActArguments;
    },
    async perform(asked) {
      if (!("signed" in asked)) throw keyIsMissing();
      return {
        ok: true,
        value: await sendAct({ send, read, url: `${origin}${BASE}/acts` }, asked),
      };
    },
  };
}

const keyIsMissing = () =>
  new UsageError(
    "the office knows people by their keys: --operator-key FILE, or SABIKA_OPERATOR_KEY_FILE",
  );

/** The origin of the office's address: https, unless on this machine, so that nobody can listen in. */
function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHere = url !== undefined && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isHere)) return url.origin;
  throw new UsageError("the office's address is https://name[:port], or http://localhost:port");
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    throw new RefusedError("no_file", `the office's authority ${file} cannot be read`);
  }
}
