import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { updatePartner } from "@sabika/office/partners";
import { DEFAULT_RATE_LIMITS } from "@sabika/service/partners";
import {
  openRaw,
  type RawConnection,
  type RawRequest,
  type RawResponse,
} from "../../../test/support/raw_https.ts";
import { objectOf } from "../../../test/support/answers.ts";
import { tokenRequest } from "../../../test/support/service_requests.ts";
import { startTestService, type TestService } from "../../../test/support/test_service.ts";

const GUESSES = 10_000;
const CONNECTIONS = 64;
/** How many tokens the honest client fetches meanwhile, spread over the whole attack. */
const TOKENS = 20;

/** How the attack went: how often each status came, and what the honest client was answered meanwhile. */
interface Attack {
  statuses: Map<number, number>;
  honest: RawResponse[];
}

/** Bank B guesses on many kept connections at once while bank A, on its own, fetches its tokens. */
async function attack(service: TestService): Promise<Attack> {
  const [a, b] = service.partners;
  const guesses: ((n: number) => RawRequest)[] = [
    // A's name with a secret that nobody has, or with A's own but for one letter.
    (n) => tokenRequest(b, { client_id: "bank-a", client_secret: `sk_${n}`.padEnd(46, "x") }),
    (n) => tokenRequest(b, { client_id: "bank-a", client_secret: almost(a.kit.clientSecret, n) }),
    // A's own secret, with the certificate of B.
    () => tokenRequest(a),
    // B's own name.
    (n) => tokenRequest(b, { client_secret: almost(b.kit.clientSecret, n) }),
    () => tokenRequest(b, { client_id: "nobody" }),
  ];
  const result: Attack = { statuses: new Map(), honest: [] };
  const connections: RawConnection[] = [];
  const open = async (partner: typeof a) => {
    const connection = await openRaw(service.caller(partner));
    connections.push(connection);
    return connection;
  };
  try {
    const own = await open(a);
    let [sent, answered] = [0, 0];
    const guess = async () => {
      const connection = await open(b);
      while (sent < GUESSES) {
        const n = sent++;
        const answer = await connection.send(guesses[n % guesses.length]!(n));
        const { status } = answer;
        result.statuses.set(status, (result.statuses.get(status) ?? 0) + 1);
        assertEquals(answer.body.includes("access_token"), false);
        if (status === 429) assert(Number(answer.headers.get("retry-after")) >= 1);
        answered++;
        if (answered % (GUESSES / TOKENS) === 0) {
          result.honest.push(await own.send(tokenRequest(a)));
        }
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, guess));
    return result;
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** A secret with one letter changed. */
function almost(secret: string, n: number): string {
  const at = 3 + n % (secret.length - 3);
  return secret.slice(0, at) + (secret[at] === "x" ? "y" : "x") + secret.slice(at + 1);
}

function assertServed(answers: readonly RawResponse[]): void {
  assertEquals(answers.map(({ status }) => status), Array(TOKENS).fill(200));
  for (const answer of answers) assertEquals(typeof objectOf(answer).get("access_token"), "string");
}

test("of ten thousand guessed secrets the rate limit stops most, and an honest client is served (F55)", async () => {
  const service = await startTestService();
  try {
    const started = performance.now();
    const { statuses, honest } = await attack(service);
    const seconds = (performance.now() - started) / 1000;
    assertEquals([...statuses.keys()].sort(), [401, 429]);
    const [wrong, limited] = [statuses.get(401)!, statuses.get(429)!];
    assertEquals(wrong + limited, GUESSES);
    const { burst, perSecond } = DEFAULT_RATE_LIMITS.token;
    assert(wrong <= burst + perSecond * seconds + 1, `${wrong} looked at in ${seconds} s`);
    assertServed(honest);
  } finally {
    await service.close();
  }
});

test("ten thousand guessed secrets that are all checked are all refused (F55)", async () => {
  const service = await startTestService();
  try {
    const token = { perSecond: GUESSES, burst: GUESSES };
    await updatePartner(service.admin, "bank-b", { rateLimits: { token } });
    await service.refresh();
    const { statuses, honest } = await attack(service);
    assertEquals([...statuses], [[401, GUESSES]]);
    assertServed(honest);
  } finally {
    await service.close();
  }
});
