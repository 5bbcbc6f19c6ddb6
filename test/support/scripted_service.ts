import {
  type Client,
  type ClientOptions,
  createClient,
  type FetchAnswer,
  type FetchInit,
  type Kit,
  openKit,
} from "@sabika/client";
import {
  type ErrorCode,
  problemJson,
  type RefusalDetails,
  refuse,
  type SigningKey,
  STATUS_OF,
} from "@sabika/protocol";
import { makeTestKit } from "./test_kit.ts";

/** The base URL of the kit, a quote's id, and the answer to an order of that quote. */
export const BASE_URL = "https://api.example";
export const QUOTE_ID = "qt_01932f0e-7c00-7000-8000-000000000001";
export const ORDER = `{"id":"ord_01932f0e-7c00-7000-8000-000000000002","quote_id":"${QUOTE_ID}",` +
  '"status":"executed","side":"buy","gold_grams":1.5,"price_per_gram_sar":412.3456,"fee_sar":1.55,' +
  '"vat_sar":0,"total_sar":620.07,"currency":"SAR","client_reference":null,' +
  '"created_at":"2026-11-20T09:00:00.000Z","executed_at":"2026-11-20T09:00:00.000Z",' +
  '"balances":{"sar":379.93,"gold_grams":1.5},"of_a_newer_service":true}';

/** A call that the SDK sent. */
export interface Sent extends FetchInit {
  url: string;
}
/** Answers each call; `nth` counts from 1. */
export type Script = (sent: Sent, nth: number) => FetchAnswer | Promise<FetchAnswer>;

/** Makes an answer as `fetch` returns it. */
export function answer(
  status: number,
  text: string,
  headers: Record<string, string> = {},
): FetchAnswer {
  return { status, headers: new Headers(headers), text: () => Promise.resolve(text) };
}

/** Makes a refusal of the service. */
export function problem(code: ErrorCode, details: RefusalDetails = {}, headers = {}): FetchAnswer {
  const occurrence = { instance: "/v1/orders", requestId: "req_1" };
  return answer(STATUS_OF[code], problemJson(refuse(code, details), occurrence), headers);
}

/** A partner's kit, and scripted services that the SDK calls without a network. */
export type ScriptedService = Awaited<ReturnType<typeof scriptedService>>;

/** Makes the kit, and returns it with `play`, which opens a client of a scripted service. */
export async function scriptedService() {
  const files = await makeTestKit(BASE_URL);
  const kit = await openKit(files.folder);

  /**
   * Opens a client of a service that issues tokens; the script answers all other calls.
   *
   * @param options of the client, changes of the kit, and what answers requests for tokens after the first
   */
  function play(
    script: Script,
    { kit: changed, laterTokens, ...options }: ClientOptions & {
      kit?: Partial<Kit<SigningKey>>;
      laterTokens?: () => FetchAnswer;
    } = {},
  ) {
    const calls: Sent[] = [];
    const pauses: number[] = [];
    let tokens = 0;
    const clock = { ms: 1_800_000_000_000 };
    const client: Client = createClient({ ...kit, ...changed }, {
      now: () => clock.ms,
      wait: (ms) => (pauses.push(ms), Promise.resolve()),
      fetch: async (url, init) => {
        if (url.endsWith("/oauth/token")) {
          tokens++;
          if (laterTokens && tokens > 1) return laterTokens();
          return answer(
            200,
            `{"access_token":"secret-token-${tokens}","token_type":"Bearer","expires_in":600}`,
          );
        }
        calls.push({ url, ...init });
        return await script({ url, ...init }, calls.length);
      },
      ...options,
    });
    return { client, calls, pauses, clock, tokens: () => tokens };
  }

  return { kit, signingPublicKey: files.signingPublicKey, play };
}

/** Orders the quote `QUOTE_ID`. */
export const order = (client: Client) => client.order({ quoteId: QUOTE_ID });
