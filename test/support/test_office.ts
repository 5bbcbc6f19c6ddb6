import { assertEquals } from "@std/assert";
import type { Role } from "@sabika/core/admin";
import { performAct } from "@sabika/core/office";
import { createOffice, createOfficeApp, type Pages } from "@sabika/office";
import { openDatabase } from "@sabika/core/store";
import { encodeUtf8, sha256Hex } from "@sabika/protocol";
import { testRecord } from "../secret_search/record.ts";
import { type AskedOptions, createAuthenticator } from "./authenticator.ts";
import { openTestAdmin } from "./test_admin.ts";

/** The address of every test's office. */
export const OFFICE_ORIGIN = "https://office.sabika.example";

/** An answer of the office, its JSON read. */
export interface OfficeAnswer {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any
  readonly json: any;
}

export type TestOffice = Awaited<ReturnType<typeof openTestOffice>>;
export type TestBrowser = ReturnType<TestOffice["browser"]>;

/** An office as the operator's role has it, on a fresh database with a clock that the test moves. */
export async function openTestOffice(pages?: Pages) {
  const admin = await openTestAdmin();
  const database = openDatabase(admin.testDatabase.urlAs("sabika_operator"), { maxConnections: 3 });
  const logged: string[] = [];
  const log = (...line: unknown[]) => void logged.push(JSON.stringify(line));
  const office = createOffice({ ...admin, database }, OFFICE_ORIGIN);
  const app = createOfficeApp(office, { log, pages });

  async function send(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<OfficeAnswer> {
    const answer = await app.request(`${OFFICE_ORIGIN}${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const json = text === "" ? undefined : JSON.parse(text);
    return { status: answer.status, headers: answer.headers, json };
  }

  /** A browser with its cookie, and a passkey of its own. */
  function browser(authenticator: Awaited<ReturnType<typeof createAuthenticator>>) {
    let cookie = "";
    const of = {
      authenticator,
      cookie: () => cookie,
      /** Sends from one of the office's pages. */
      async post(path: string, body: unknown, headers: Record<string, string> = {}) {
        const sent = { origin: OFFICE_ORIGIN, "sec-fetch-site": "same-origin", ...headers };
        const answer = await send("POST", `/admin/v1${path}`, {
          body,
          headers: { ...sent, ...(cookie === "" ? {} : { cookie }) },
        });
        const set = answer.headers.get("set-cookie");
        if (set !== null) cookie = set.split(";")[0]!;
        const [, token] = cookie.split("=");
        if (token) testRecord.secret("session", token);
        return answer;
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

  /** A link for somebody, as `sabika operator link` makes one. */
  async function makeLink(operator: string): Promise<string> {
    const token = `link-${crypto.randomUUID()}`;
    testRecord.secret("link", token);
    const given = { operator, link_sha256: await sha256Hex(encodeUtf8(token)) };
    const made = await performAct(admin, {
      ...{ name: "operator.link", arguments: given, breakGlass: "a test's people" },
    });
    if (!made.ok) throw new Error(made.detail);
    return token;
  }

  return {
    ...{ admin, office, app, logged, send, browser, makeLink },
    /** Somebody new with these roles, signed in with a passkey. */
    async person(name: string, roles: readonly Role[]) {
      const added = await performAct(admin, {
        ...{ name: "operator.add", arguments: { operator: name, roles } },
        breakGlass: "a test's people",
      });
      if (!added.ok) throw new Error(added.detail);
      const one = browser(await createAuthenticator(OFFICE_ORIGIN));
      const enrolled = await one.enrol(await makeLink(name));
      assertEquals(enrolled.status, 200, JSON.stringify(enrolled.json));
      return one;
    },
    async close() {
      await database.close();
      await admin.close();
    },
  };
}
