import { assertEquals } from "@std/assert";
import { testRecord } from "../secret_search/record.ts";
import type { AskedOptions, createAuthenticator } from "./authenticator.ts";

/** An answer of the office, its JSON read. */
export interface OfficeAnswer {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any
  readonly json: any;
}

/** Sends to an office, and reads the answer. */
export type SendToOffice = (
  method: string,
  path: string,
  of?: { body?: unknown; headers?: Record<string, string> },
) => Promise<OfficeAnswer>;

export type TestBrowser = ReturnType<typeof createTestBrowser>;

/** A browser at an office, with its cookie and a passkey of its own. */
export function createTestBrowser(
  origin: string,
  send: SendToOffice,
  authenticator: Awaited<ReturnType<typeof createAuthenticator>>,
) {
  let cookie = "";
  const keepCookie = (answer: OfficeAnswer) => {
    const set = answer.headers.get("set-cookie");
    if (set !== null) cookie = set.split(";")[0]!;
    const [, token] = cookie.split("=");
    if (token) testRecord.secret("session", token);
    return answer;
  };
  const of = {
    authenticator,
    cookie: () => cookie,
    /** Sends from one of the office's pages. */
    async post(path: string, body: unknown, headers: Record<string, string> = {}) {
      const sent = {
        ...{ origin, "sec-fetch-site": "same-origin" },
        ...(cookie === "" ? {} : { cookie }),
        ...headers,
      };
      const answer = await send("POST", `/admin/v1${path}`, { body, headers: sent });
      return headers["cookie"] === undefined ? keepCookie(answer) : answer;
    },
    get: (path: string) => send("GET", `/admin/v1${path}`, { headers: { cookie } }),
    async signIn() {
      const { json } = await of.post("/sign-in/options", {});
      const credential = await authenticator.get(json.options as AskedOptions);
      return await of.post("/sign-in", { credential });
    },
    /** Stages an act, signs it and asks for it. */
    async act(name: string, given: object = {}) {
      const staged = await of.post("/acts/stage", { name, arguments: given });
      assertEquals(staged.status, 200, JSON.stringify(staged.json));
      const credential = await authenticator.get(staged.json.options);
      return await of.post("/acts", { act: staged.json.act, credential });
    },
    /** Registers the passkey by a link. */
    async enrol(link: string) {
      const asked = await of.post("/enrolment/options", { link });
      if (asked.status !== 200) return asked;
      const registration = await authenticator.create(asked.json.options);
      const staged = await of.post("/enrolment/act", { link, credential: registration });
      if (staged.status !== 200) return staged;
      const credential = await authenticator.get(staged.json.options);
      const { act } = staged.json;
      return await of.post("/enrolment", { link, registration, act, credential });
    },
  };
  return of;
}
