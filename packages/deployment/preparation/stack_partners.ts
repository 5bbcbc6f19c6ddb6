import { join } from "node:path";
import { type Kit, writeKit } from "@sabika/identity/keys";
import { performAct } from "@sabika/office/acts";
import {
  type Admission,
  admitPartner,
  type PartnerAdminContext,
  updatePartner,
} from "@sabika/office/partners";
import type { Actor } from "@sabika/service/audit";
import { readPartners } from "@sabika/service/partners";
import { formatMicrograms } from "@sabika/protocol";
import { makeSigningRequest } from "./signing_request.ts";
import { fillVault, must, SIMULATED_VAULT_MICROGRAMS } from "./simulated_vault.ts";
import type { DeploymentPlan } from "../services.ts";

/** Gold that each partner may sell: 100 kg, so that load does not run out of it. */
const ALLOCATED_MICROGRAMS = SIMULATED_VAULT_MICROGRAMS;
/** A partner's rate limits, so wide that the service's speed limits a load first. */
const RATE = { perSecond: 20_000, burst: 40_000 };

/** The stack as an actor in the audit log. */
export const STACK: Actor = { who: "stack", from: "start" };

/** Returns the context in which the stack acts as administrator. */
export function stackAdminContext(
  parts: Omit<PartnerAdminContext, "actor" | "endpoints">,
): PartnerAdminContext {
  return {
    ...parts,
    actor: STACK,
    endpoints: {
      allowLoopback: parts.environment === "sandbox",
      // A stack in production has no receivers; their host names need not exist yet.
      resolve: () => Promise.resolve([{ address: "8.8.8.8", family: 4 }]),
    },
  };
}

/**
 * Finds or makes the partners `partner-1`, `partner-2`, …, each with gold, wide limits and a kit, spread over
 * the cells in turn if there are any. Returns the kits' folders, in the order of the partners.
 */
export async function openPartners(
  admin: PartnerAdminContext,
  { baseUrl, environment, places, cells = [] }: DeploymentPlan,
  count: number,
): Promise<string[]> {
  const known = new Set(
    (await readPartners(admin.database.sql, -1n)).map((partner) => partner.clientId),
  );
  const folders: string[] = [];
  for (let number = 1; number <= count; number++) {
    const clientId = `partner-${number}`;
    const folder = join(places.partners, clientId);
    folders.push(folder);
    if (known.has(clientId)) continue;
    const more = cells.length === 0 ? {} : { cell: cells[(number - 1) % cells.length]! };
    const kit = environment === "sandbox"
      ? await admit(admin, clientId, number, { withKeys: true, ...more })
      : await admitWithOwnKeys(admin, clientId, number, more);
    await writeKit(folder, baseUrl, kit);
    await fillVault(admin, `STACK-${clientId}`);
    const allocation = { partner: clientId, grams: formatMicrograms(ALLOCATED_MICROGRAMS) };
    must(await performAct(admin, { name: "vault.allocate", arguments: allocation }));
    must(
      await updatePartner(admin, clientId, {
        openQuotesLimit: 100_000,
        rateLimits: { token: RATE, read: RATE, write: RATE, signed: RATE, nonces: RATE },
      }),
    );
  }
  return folders;
}

async function admit(
  admin: PartnerAdminContext,
  clientId: string,
  number: number,
  more: Partial<Admission>,
): Promise<Kit> {
  const webhookUrl = admin.environment === "sandbox"
    ? `https://127.0.0.1:${20_000 + number}/webhooks`
    : `https://${clientId}.example/webhooks`;
  const admission = {
    clientId,
    name: `Bank ${number}`,
    iban: "SA0380000000608010167519",
    webhookUrl,
  };
  return must(await admitPartner(admin, { ...admission, ...more })).kit;
}

/** Admits a partner that makes its own keys: the operator sees only the two requests. */
async function admitWithOwnKeys(
  admin: PartnerAdminContext,
  clientId: string,
  number: number,
  more: Partial<Admission>,
): Promise<Kit> {
  const client = await makeSigningRequest(clientId);
  // A request proves that the partner has the signing key.
  const signing = await makeSigningRequest(clientId);
  const kit = await admit(admin, clientId, number, {
    csr: client.csr,
    signingKey: signing.csr,
    addresses: ["127.0.0.1"],
    ...more,
  });
  return { ...kit, clientKeyPem: client.keyPem, signingKeyPem: signing.keyPem };
}
