import { AwsV4Signer } from "aws4fetch";
import type { PlainFetch } from "@sabika/network";
import { KeyServiceError } from "../keys/key_service_error.ts";

/** Where AWS KMS is and the credentials for it, as in the usual AWS_… variables. */
export interface KmsSettings {
  /** Its address, such as `https://kms.me-central-1.amazonaws.com`. */
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  /** What the keys' aliases begin with, such as `alias/sabika/production/`. */
  aliasPrefix: string;
}

/** Calls an action of the key service with a JSON body, and returns its JSON. */
export type KmsCall = (action: string, body: object) => Promise<Record<string, unknown>>;

const TRIES = 3;
/** One answer takes 5 to 50 ms. */
const TIMEOUT_MS = 3_000;
const PAUSE_MS = 200;

/**
 * Makes calls to AWS KMS (JSON 1.1, Signature Version 4). A call that gets no answer, a 5xx status or
 * `ThrottlingException` is tried up to three times, each with a limit of `timeoutMs` (3 s by default).
 *
 * @param options.now epoch milliseconds
 * @throws {KeyServiceError} from each call that was refused or not answered
 */
export function createKmsClient(
  settings: KmsSettings,
  { fetch, now, timeoutMs = TIMEOUT_MS }: {
    fetch: PlainFetch;
    now: () => number;
    timeoutMs?: number;
  },
): KmsCall {
  const url = `${settings.endpoint.replace(/\/$/, "")}/`;
  const host = new URL(url).host;

  async function attempt(action: string, body: string): Promise<Response> {
    const signed = await new AwsV4Signer({
      ...settings,
      url,
      method: "POST",
      service: "kms",
      datetime: new Date(now()).toISOString().replace(/[-:]|\.\d{3}/g, ""),
      headers: {
        "content-type": "application/x-amz-json-1.1",
        "x-amz-target": `TrentService.${action}`,
      },
      body,
    }).sign();
    return await fetch(url, {
      method: "POST",
      headers: Object.fromEntries(signed.headers),
      body,
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
  }

  return async (action, body) => {
    let reason = "";
    for (let tries = 1; tries <= TRIES; tries++) {
      if (tries > 1) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      try {
        const answer = await attempt(action, JSON.stringify(body));
        const json = await readJson(answer);
        if (answer.status === 200 && json !== undefined) return json;
        const code = String(json?.["__type"] ?? `status ${answer.status}`).split("#").at(-1)!;
        if (answer.status < 500 && code !== "ThrottlingException") {
          throw new KeyServiceError(`the key service at ${host} refuses ${action}: ${code}`);
        }
        reason = code;
      } catch (error) {
        if (error instanceof KeyServiceError) throw error;
        const { name, code } = error as { name?: string; code?: string };
        reason = name === "TimeoutError"
          ? `no answer within ${timeoutMs} ms`
          : code ?? String(name);
      }
    }
    throw new KeyServiceError(
      `the key service at ${host} does not do ${action}, tried ${TRIES} times: ${reason}`,
    );
  };
}

async function readJson(answer: Response): Promise<Record<string, unknown> | undefined> {
  const text = await answer.text();
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null ? json as Record<string, unknown> : undefined;
  } catch {
    return undefined;
  }
}
