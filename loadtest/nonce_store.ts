/**
 * Question: however full the store of spent nonces is, is every fresh nonce accepted and every used
 * one refused: at once, minutes later, signed anew, and by whichever instance gets it?
 *
 * It fills the store by signed probes (they spend a nonce and move nothing), sends a share of them
 * again at random ages, and sends some several times at once: one may pass. Behind the
 * stack's Envoy about half of the repeats reach another instance than the first did.
 *
 *   npm run load -- nonce_store --rate 200 --duration 5m
 *   SABIKA_KIT=… SSL_CERT_FILE=…/ca.crt k6 run loadtest/nonce_store.ts
 */
import { check } from "k6";
import { Counter } from "k6/metrics";
import type { Options } from "k6/options";
import { iterate } from "./lib/iterate.ts";
import { readKit } from "./lib/kit.ts";
import { replaysAccepted } from "./lib/metrics.ts";
import {
  createPartner,
  openSession,
  type Partner,
  refusesReplay,
  type Session,
  type SignedRequest,
} from "./lib/partner.ts";
import { readSettings } from "./lib/settings.ts";
import { summarise, type SummaryData } from "./lib/summary.ts";
import { reportUnexpected } from "./lib/report_unexpected.ts";
import { baseUrlOf, commonOptions, latency } from "./lib/target.ts";

const QUESTION = "is every fresh nonce accepted and every used one refused?";
const settings = readSettings({ script: "nonce_store", rate: 100, duration: "1m" });
const kit = readKit(settings.kit);
const baseUrl = baseUrlOf(settings, kit);

/** The share of iterations that send a request again, and that send one many times at once. */
const REPLAY_SHARE = Number(__ENV.SABIKA_REPLAY_SHARE ?? 0.3);
const RACE_SHARE = 0.02;
const RACERS = 4;
/** How many of its requests a VU remembers, to send them again. */
const REMEMBERED = 2000;
/** The age up to which the same bytes are sent again; after 300 s their timestamp would be refused. */
const SAME_BYTES_MS = 280_000;

const noncesSpent = new Counter("nonces_spent");
const replaysRefused = new Counter("replays_refused");

export const options: Options = {
  ...commonOptions(settings, kit),
  scenarios: {
    probes: {
      executor: "constant-arrival-rate",
      rate: settings.rate,
      timeUnit: "1s",
      duration: settings.duration,
      // Enough for a machine that stalls for a second: creating a VU during the run drops an iteration.
      preAllocatedVUs: Math.max(20, Math.ceil(settings.rate / 10)),
      maxVUs: Math.max(50, settings.rate),
    },
  },
  thresholds: {
    good_iterations: ["rate==1"],
    checks: ["rate==1"],
    // No replay may be accepted.
    replays_accepted: ["count==0"],
    // Both kinds of requests must have been tried.
    nonces_spent: ["count>0"],
    replays_refused: ["count>0"],
    http_req_failed: ["rate==0"],
    "http_req_duration{kind:probe}": latency(settings, { 95: 150, 99: 400 }),
    // Finding a used nonce must be as quick as storing a new one.
    "http_req_duration{kind:replay}": latency(settings, { 95: 150, 99: 400 }),
    dropped_iterations: ["rate<1"],
  },
};

export function setup(): Session {
  return openSession(kit, baseUrl);
}

let vuPartner: Partner | undefined;
const remembered: SignedRequest[] = [];

export default async function (session: Session): Promise<void> {
  const partner = vuPartner ??= createPartner(kit, baseUrl, session);
  await iterate(() => {
    const choice = Math.random();
    if (choice < RACE_SHARE) return race(partner);
    if (choice < RACE_SHARE + REPLAY_SHARE && remembered.length > 0) return replay(partner);
    return spend(partner);
  });
}

/** Sends a new nonce, which must be accepted, and remembers the request. */
async function spend(partner: Partner): Promise<boolean> {
  const request = await partner.sign("/v1/signed-probe", { load: "nonce_store" });
  const answer = partner.send(request, "probe");
  const accepted = check(answer, { "a fresh nonce is accepted": (a) => a.status === 200 });
  if (!accepted) {
    reportUnexpected(answer);
    return false;
  }
  noncesSpent.add(1);
  remember(request);
  return true;
}

/** Sends a used nonce again: the same bytes, or with a new timestamp and signature. */
async function replay(partner: Partner): Promise<boolean> {
  const probe = remembered[Math.floor(Math.random() * remembered.length)]!;
  const sameBytes = Date.now() - probe.signedAtMs < SAME_BYTES_MS && Math.random() < 0.5;
  const request = sameBytes
    ? probe
    : await partner.sign(probe.path, JSON.parse(probe.body), { nonce: probe.nonce });
  const answer = partner.send(request, "replay", 401);
  if (answer.status === 200) replaysAccepted.add(1);
  const refused = check(answer, { "a used nonce is refused": refusesReplay });
  if (refused) replaysRefused.add(1);
  else reportUnexpected(answer);
  return refused;
}

/** Sends one nonce several times at once over several connections: exactly one must be accepted. */
async function race(partner: Partner): Promise<boolean> {
  const request = await partner.sign("/v1/signed-probe", { load: "race" });
  const answers = partner.sendAtOnce(request, RACERS);
  const passed = answers.filter((answer) => answer.status === 200).length;
  const refused = answers.filter(refusesReplay).length;
  if (passed > 1) replaysAccepted.add(passed - 1);
  noncesSpent.add(1);
  replaysRefused.add(refused);
  return check(answers, {
    "exactly one of identical requests passes": () => passed === 1 && refused === RACERS - 1,
  });
}

function remember(request: SignedRequest): void {
  if (remembered.length < REMEMBERED) remembered.push(request);
  else remembered[Math.floor(Math.random() * REMEMBERED)] = request;
}

export function handleSummary(data: SummaryData): Record<string, string> {
  return summarise("nonce_store", QUESTION, data, settings.summary);
}
