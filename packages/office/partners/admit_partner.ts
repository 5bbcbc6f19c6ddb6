import { refuse } from "@sabika/protocol";
import { drizzle } from "@sabika/database";
import {
  isOrganisation,
  type IssuedCertificate,
  makeServerCertificate,
  ORGANISATION_RULE,
  readSigningKeyOf,
  readSigningRequest,
  type SigningKey,
  signingKeyOf,
  type SigningRequest,
} from "@sabika/identity/certificates";
import { exportPrivateKey, generateP256, type Kit, toPem } from "@sabika/identity/keys";
import { inTransaction, stampRevision, writeAudit } from "@sabika/service/audit";
import { MAIN_CELL } from "@sabika/service/cells";
import { openAccounts } from "@sabika/service/ledger";
import { whyNotInto } from "@sabika/service/moving";
import { type PartnerChanges, partners, sourceAddresses } from "@sabika/service/partners";
import { type AdminOutcome, readClientId, readIban, readPartnerName } from "@sabika/terms";
import { readCidr } from "@sabika/terms/addresses";
import { auditOf, checkSettings } from "./check_settings.ts";
import { addCertificate, addClientSecret, addSigningKey, addWebhookSecret } from "./credentials.ts";
import type { PartnerAdminContext } from "./partner_admin_context.ts";
import { readWebhookUrl } from "./webhook_endpoint.ts";

/** A partner to be admitted, as the operator describes it. */
export interface Admission {
  clientId: string;
  name: string;
  iban: string;
  webhookUrl: string;
  /** CIDRs or plain addresses to call from; without any, all are allowed, in the sandbox only. */
  addresses?: string[];
  /** PEM of the partner's certificate signing request. */
  csr?: string;
  /** Public key as PEM, JWK or certificate, or a signing request, which production requires. */
  signingKey?: string;
  /** Sandbox only: make the partner's private keys too, for a complete kit (Decision D43). */
  withKeys?: boolean;
  /** The cell for its rows (Decision D53); control's own when left out. */
  cell?: string;
  /** Its limits; those left out are as for every partner. Spread and fees are set later. */
  limits?: Omit<PartnerChanges, "name">;
}

/** A partner just admitted, its secrets in the kit; `certificate` is null without `csr` and `withKeys`. */
export interface Admitted {
  partnerId: number;
  kit: Kit;
  certificate: IssuedCertificate | null;
}

/**
 * Admits a partner (Spec §1): checks the admission, then writes the partner, its accounts, its
 * webhook lane and its first credentials in one transaction, and returns its kit. For another cell,
 * accounts and lane are made there with the partner's copy.
 */
export async function admitPartner(
  admin: PartnerAdminContext,
  admission: Admission,
): Promise<AdminOutcome<Admitted>> {
  const checked = await check(admin, admission);
  if (!checked.ok) return checked;
  const { clientId, name, iban, webhookUrl, addresses, request, signingKey, keys } = checked.value;
  const { cell: cellId = MAIN_CELL, limits = {} } = admission;
  return await inTransaction(admin, async (sql) => {
    const db = drizzle(sql);
    const wrongCell = await whyNotInto(sql, cellId);
    if (wrongCell !== undefined) return wrongCell;
    const [row] = await db.insert(partners)
      .values({ ...limits, clientId, name, settlementIban: iban, webhookUrl, cellId })
      .onConflictDoNothing({ target: partners.clientId }).returning();
    if (row === undefined) {
      return refuse("already_exists", `there is a partner "${clientId}" already`);
    }
    const { partnerId } = row;
    const wrong = checkSettings(limits, row);
    if (wrong !== undefined) return refuse("invalid_setting", wrong);
    if (cellId === MAIN_CELL) await openAccounts(sql, partnerId);
    for (const cidr of addresses) await db.insert(sourceAddresses).values({ partnerId, cidr });
    let certificate: IssuedCertificate | null = null;
    if (request !== null) {
      const issued = await addCertificate(sql, admin, { partnerId, clientId }, request);
      if (!issued.ok) return issued;
      certificate = issued.value;
    }
    if (signingKey !== null) {
      const added = await addSigningKey(sql, admin, partnerId, signingKey);
      if (!added.ok) return added;
    }
    const clientSecret = await addClientSecret(sql, admin, partnerId);
    const webhookSecret = await addWebhookSecret(sql, admin, partnerId);
    await stampRevision(sql, partnerId);
    await writeAudit(sql, admin, "partner.create", partnerId, {
      name,
      webhookUrl,
      addresses,
      certificate: certificate?.hashHex ?? null,
      signingKey: signingKey?.keyId ?? null,
      withKeys: keys !== null,
      ...cellId !== MAIN_CELL && { cell: cellId },
      ...auditOf(limits),
    });
    const kit: Kit = {
      environment: admin.environment,
      clientId,
      clientSecret,
      webhookSecret,
      webhookUrl,
      settlementIban: iban,
      signingKeyId: signingKey?.keyId ?? null,
      caPem: admin.authorities.root.pem,
      clientCertificatePem: certificate === null
        ? null
        : certificate.pem + admin.authorities.issuing.pem,
      clientKeyPem: keys?.clientKeyPem ?? null,
      signingKeyPem: keys?.signingKeyPem ?? null,
      receiver: keys?.receiver ?? null,
    };
    return { ok: true, value: { partnerId, kit, certificate } };
  });
}

interface Checked {
  clientId: string;
  name: string;
  iban: string;
  webhookUrl: string;
  addresses: string[];
  request: SigningRequest | null;
  signingKey: SigningKey | null;
  keys: MadeKeys | null;
}

async function check(
  admin: PartnerAdminContext,
  admission: Admission,
): Promise<AdminOutcome<Checked>> {
  const clientId = readClientId(admission.clientId);
  if (!clientId.ok) return clientId;
  const name = readPartnerName(admission.name);
  if (!name.ok) return name;
  const iban = readIban(admission.iban);
  if (!iban.ok) return iban;
  const webhookUrl = await readWebhookUrl(admin, admission.webhookUrl);
  if (!webhookUrl.ok) return webhookUrl;
  const addresses = new Set<string>();
  for (const text of admission.addresses ?? []) {
    const cidr = readCidr(text);
    if (!cidr.ok) return cidr;
    addresses.add(cidr.value);
  }
  if (admin.environment === "production" && addresses.size === 0) {
    return refuse("invalid_cidr", "in production a partner registers at least one source address");
  }
  let request: SigningRequest | null = null;
  if (admission.csr !== undefined) {
    const parsed = await readSigningRequest(admission.csr, clientId.value);
    if (!parsed.ok) return parsed;
    request = parsed.value;
  }
  let signingKey: SigningKey | null = null;
  if (admission.signingKey !== undefined) {
    const parsed = await readSigningKeyOf(clientId.value, admission.signingKey, admin.environment);
    if (!parsed.ok) return parsed;
    signingKey = parsed.value;
  }
  let keys: MadeKeys | null = null;
  if (admission.withKeys === true) {
    if (admin.environment !== "sandbox") {
      return refuse(
        "wrong_environment",
        "a partner makes its own private keys: they are made for it in the sandbox only",
      );
    }
    const organisation = [...name.value].slice(0, 64).join("").trim();
    // A request that came with the admission has its own organisation.
    if (request === null && !isOrganisation(organisation)) {
      return refuse(
        "invalid_name",
        `the name is that of the certificate too: ${ORGANISATION_RULE}`,
      );
    }
    keys = await makeKeys(admin, organisation);
    request ??= keys.request;
    signingKey ??= keys.signingKey;
    // A key that the partner brought stays with the partner.
    if (request !== keys.request) keys.clientKeyPem = null;
    if (signingKey !== keys.signingKey) keys.signingKeyPem = null;
  }
  return {
    ok: true,
    value: {
      clientId: clientId.value,
      name: name.value,
      iban: iban.value,
      webhookUrl: webhookUrl.value,
      addresses: [...addresses],
      request,
      signingKey,
      keys,
    },
  };
}

interface MadeKeys {
  request: SigningRequest;
  signingKey: SigningKey;
  clientKeyPem: string | null;
  signingKeyPem: string | null;
  receiver: { certificatePem: string; keyPem: string };
}

async function makeKeys(admin: PartnerAdminContext, organisation: string): Promise<MadeKeys> {
  const [client, signing] = await Promise.all([generateP256(), generateP256()]);
  const pem = async (keys: CryptoKeyPair) =>
    toPem("PRIVATE KEY", await exportPrivateKey(keys.privateKey));
  const spki = (keys: CryptoKeyPair) => crypto.subtle.exportKey("spki", keys.publicKey);
  const receiver = await makeServerCertificate({
    authorities: admin.authorities,
    hosts: ["localhost", "127.0.0.1", "::1"],
    nowMs: admin.now(),
    random: admin.random,
  });
  return {
    request: { organisation, publicKey: await spki(client) },
    signingKey: await signingKeyOf(await spki(signing)),
    clientKeyPem: await pem(client),
    signingKeyPem: await pem(signing),
    receiver,
  };
}
