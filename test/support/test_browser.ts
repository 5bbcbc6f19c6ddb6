import { testRecord } from "../secret_search/record.ts";
import type { AskedOptions, createAuthenticator } from "./authenticator.ts";

/** An answer of the office, with its JSON parsed. */
export interface OfficeAnswer {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any
  readonly json: any;
}

/** Sends a request to an office, and reads the answer. */
export type SendToOffice = (
  method: string,
  path: string,
  options?: { body?: unknown; headers?: Record<string, string> },
) => Promise<OfficeAnswer>;

/** A browser of a test, as `createTestBrowser` returns it. */
export type TestBrowser = ReturnType<typeof createTestBrowser>;

/** Creates a browser for an office, with its cookies and a passkey. */
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
  const person = {
    authenticator,
    cookie: () => cookie,
    /** Sends from one of the office's pages. */
    async post(path: string, body: unknown, headers: Record<string, string> = {}) {
      const sent = {
        origin,
        "sec-fetch-site": "same-origin",
        ...(cookie === "" ? {} : { cookie }),
        ...headers,
      };
      const answer = await send("POST", `/admin/v1${path}`, { body, headers: sent });
      return headers["cookie"] === undefined ? keepCookie(answer) : answer;
    },
    get: (path: string) => send("GET", `/admin/v1${path}`, { headers: { cookie } }),
    async signIn() {
      const { json } = await person.post("/sign-in/options", {});
      const credential = await authenticator.get(json.options as AskedOptions);
      return await person.post("/sign-in", { credential });
    },
    /** Stages an act, signs it and requests it; the answer to staging where that is refused. */
    async act(name: string, input: object = {}) {
      const staged = await person.post("/acts/stage", { name, arguments: input });
      if (staged.status !== 200) return staged;
      const credential = await authenticator.get(staged.json.options);
      return await person.post("/acts", { act: staged.json.act, credential });
    },
    /** Registers the passkey by a one-time link. */
    async enrol(link: string) {
      const offered = await person.post("/enrolment/options", { link });
      if (offered.status !== 200) return offered;
      const registration = await authenticator.create(offered.json.options);
      const staged = await person.post("/enrolment/act", { link, credential: registration });
      if (staged.status !== 200) return staged;
      const credential = await authenticator.get(staged.json.options);
      const { act } = staged.json;
      return await person.post("/enrolment", { link, registration, act, credential });
    },
  };
  return person;
}
