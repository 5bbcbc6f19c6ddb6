import { lookup } from "node:dns/promises";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { writeKit } from "@sabika/identity/keys";
import { performAct } from "@sabika/office/acts";
import { admitPartner, type PartnerAdminContext } from "@sabika/office/partners";
import { readPartners } from "@sabika/service/partners";
import { type DataFolder, tryPort } from "@sabika/deployment/folders";
import { formatMicrograms } from "@sabika/protocol";
import { fillVault, must, SIMULATED_VAULT_MICROGRAMS } from "@sabika/deployment/preparation";

/** The partner `demo`, with which a sandbox begins. */
export interface DemoPartner {
  clientId: "demo";
  kitFolder: string;
  /** False when the kit was removed: its secrets are nowhere else. */
  hasKit: boolean;
  /** True on the start that made the partner. */
  isNew: boolean;
}

/** A tenth of the simulated vault is for demo, the rest for others. */
const ALLOCATED_MICROGRAMS = SIMULATED_VAULT_MICROGRAMS / 10n;

/** Returns the context in which the sandbox acts as administrator, and as the audit log's actor. */
export function sandboxAdminContext(
  parts: Omit<PartnerAdminContext, "actor" | "endpoints">,
): PartnerAdminContext {
  return {
    ...parts,
    actor: { who: "sandbox", from: "start" },
    endpoints: {
      allowLoopback: true,
      resolve: async (name) =>
        (await lookup(name, { all: true })).map(({ address, family }) => ({
          address,
          family: family === 6 ? 6 : 4,
        })),
    },
  };
}

/** Finds the partner `demo`, or makes it: kit, vault bars, and gold allocated to sell to it. */
export async function openDemoPartner(
  admin: PartnerAdminContext,
  folder: DataFolder,
  baseUrl: string,
): Promise<DemoPartner> {
  const clientId = "demo";
  const kitFolder = join(folder.partners, clientId);
  const partners = await readPartners(admin.database.sql, -1n);
  if (partners.some((partner) => partner.clientId === clientId)) {
    const hasKit = await access(join(kitFolder, "partner.json")).then(() => true, () => false);
    return { clientId, kitFolder, hasKit, isNew: false };
  }
  const port = Number(new URL(baseUrl).port);
  const { kit } = must(
    await admitPartner(admin, {
      clientId,
      name: "Demo Bank",
      iban: "SA0380000000608010167519",
      webhookUrl: `https://127.0.0.1:${await receiverPort(port + 1)}/webhooks`,
      withKeys: true,
    }),
  );
  await writeKit(kitFolder, baseUrl, kit);
  await fillVault(admin, "SANDBOX");
  const gold = { partner: clientId, grams: formatMicrograms(ALLOCATED_MICROGRAMS) };
  must(await performAct(admin, { name: "vault.allocate", arguments: gold }));
  return { clientId, kitFolder, hasKit: true, isNew: true };
}

/** Returns `wanted` if it is free, else any free port. */
async function receiverPort(wanted: number): Promise<number> {
  const beside = wanted <= 65_535 ? await tryPort(wanted) : undefined;
  return beside ?? (await tryPort(0))!;
}
