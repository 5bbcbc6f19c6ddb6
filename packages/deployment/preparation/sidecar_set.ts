import type { Database } from "@sabika/database";
import { makeServerCertificate } from "@sabika/identity/certificates";
import type { Deployment } from "@sabika/service/deployment";
import { makeRevocationLists } from "@sabika/service/partners";
import { checkSet, currentSet, DEFAULT_RULES, rotate, type SecretSet } from "@sabika/sidecar";
import type { Surroundings } from "../surroundings.ts";
import { readEdgeSecret } from "./deployment_secrets.ts";
import { type DeploymentPlan, serverNames } from "../services.ts";

/** How many days before its end the server's certificate is renewed. */
const RENEW_DAYS = 30;

/** The latest renewal of each sidecar, by its folder. */
const renewals = new Map<string, Promise<unknown>>();

/**
 * Hands the sidecar a set of secrets that matches the register: the current revocation lists, and a new
 * server certificate when the old one ends soon or is of another issuing authority. Nothing is
 * handed over when nothing changed. Renewals run one after the other: what was read before a rotation of
 * the edge secret must not be handed over after it.
 *
 * @returns what to pass as `previous` in the next call, and whether a set was handed over
 * @throws Error with the checker's reasons when the set cannot be used
 */
export async function renewSidecarSet(
  plan: DeploymentPlan,
  prepared: { database: Database; deployment: Deployment },
  surroundings: Surroundings,
  previous?: Due,
): Promise<Due & { handedOver: boolean }> {
  const { sidecar } = plan.places;
  const before = renewals.get(sidecar) ?? Promise.resolve();
  const renewal = before.catch(() => {})
    .then(() => renew(plan, prepared, surroundings, previous));
  renewals.set(sidecar, renewal);
  return await renewal;
}

/** The revoked certificates of a set, and when the next set is due at the latest, in epoch milliseconds. */
interface Due {
  revoked: string;
  renewAtMs: number;
}

async function renew(
  plan: DeploymentPlan,
  { database, deployment }: { database: Database; deployment: Deployment },
  { now, random }: Surroundings,
  previous: Due | undefined,
): Promise<Due & { handedOver: boolean }> {
  const { authorities } = deployment;
  const nowMs = now();
  const { places } = plan;
  const lists = await makeRevocationLists({ sql: database.sql, authorities, nowMs });
  const revoked = lists.revoked.join();
  const edgeSecret = await readEdgeSecret(places);
  const old = await currentSet(places.sidecar).catch(() => undefined);
  const isSame = old?.edgeSecret === edgeSecret && previous?.revoked === revoked;
  if (isSame && nowMs < previous.renewAtMs) return { ...previous, handedOver: false };

  const carried = { partnerCa: authorities.clientCaPem, partnerCrl: lists.pem, edgeSecret };
  const kept: SecretSet | undefined = old === undefined ? undefined : { ...old, ...carried };
  const rules = { nowMs, ...DEFAULT_RULES };
  const isKept = kept !== undefined &&
    kept.serverCertificate.includes(authorities.issuing.pem.trim()) &&
    (await checkSet(kept, { ...rules, certificateDays: RENEW_DAYS })).length === 0;
  const server = isKept ? undefined : await makeServerCertificate({
    authorities,
    hosts: serverNames(plan),
    nowMs,
    random,
  });
  const set: SecretSet = server === undefined
    ? kept!
    : { ...carried, serverCertificate: server.certificatePem, serverKey: server.keyPem };
  const folders = { folder: places.sidecar, socketFolder: places.adminSocket };
  const rotation = await rotate(folders, set, rules);
  if (!rotation.ok) throw new Error(`the sidecar's secrets: ${rotation.problems.join("; ")}`);
  return { revoked, renewAtMs: lists.renewAtMs, handedOver: true };
}
