import { formatScopes, formatTime, type Scope } from "@sabika/protocol";
import { type AnySql, drizzle } from "@sabika/database";
import type { LockedPartner } from "@sabika/service/audit";
import { credentialRequests, isRequest } from "@sabika/service/credentials";
import { type Line, line } from "./line.ts";
import { keyOf } from "./partner_lines.ts";
import { type Describe, ofPartner, type PartnerSubject } from "./subject.ts";

interface Access {
  readonly scopes: readonly Scope[] | undefined;
  readonly token_auth: string | undefined;
}

const accessLines = ({ scopes, token_auth }: Access): Line[] => [
  ...scopes === undefined ? [] : [line("scopes", { text: formatScopes(scopes) })],
  ...token_auth === undefined ? [] : [line("token_auth", { text: token_auth })],
];

const overlapLine = (overlapMs: number): Line => line("old_end", { ms: overlapMs });

/** A new certificate, after which the others may end. */
export const describeNewCertificate: Describe<
  Access & { readonly csr: string; readonly overlap_ms?: number; readonly request?: string }
> = ofPartner(async ({ input, partner, control }) => [
  line("certificate_key", await keyOf(input.csr, partner.clientId)),
  ...await requestLines(control, partner, input),
  ...accessLines(input),
  ...input.overlap_ms === undefined ? [] : [overlapLine(input.overlap_ms)],
]);

/** A certificate that there is, and other access by it if the act changes that. */
export const describeCertificate: Describe<{ readonly certificate: string } & Partial<Access>> =
  ofPartner(async (subject) => [
    ...await certificateLines(subject),
    ...accessLines({ scopes: undefined, token_auth: undefined, ...subject.input }),
  ]);

async function certificateLines(
  { input: { certificate }, partner: { partnerId }, control }: PartnerSubject<
    { readonly certificate: string }
  >,
): Promise<Line[]> {
  const digits = certificate.toLowerCase().replaceAll(":", "");
  const rows = await control<{ hash: string; serial: string; untilMs: number }[]>`
    select encode(certificate_hash, 'hex') as hash, serial,
      extract(epoch from valid_until)::float8 * 1000 as "untilMs"
    from certificates where partner_id = ${partnerId}::integer`;
  const [found, ...others] = rows
    .filter(({ hash, serial }) => hash.startsWith(digits) || serial.startsWith(digits));
  if (found === undefined || others.length > 0) return [line("certificate", { text: certificate })];
  return [
    line("certificate", { text: `SHA-256 ${found.hash}` }),
    line("valid_until", { at: formatTime(Math.round(found.untilMs)) }),
  ];
}

/** A key that the partner signs with from now on, after which the others may end. */
export const describeNewKey: Describe<
  { readonly key: string; readonly overlap_ms?: number; readonly request?: string }
> = ofPartner(async ({ input: { key, overlap_ms, request }, partner, control }) => [
  line("key_id", await keyOf(key, partner.clientId)),
  ...await requestLines(control, partner, { csr: key, request }),
  ...overlap_ms === undefined ? [] : [overlapLine(overlap_ms)],
]);

/** A request of the partner's, which is refused. */
export const describeRefusedRequest: Describe<
  { readonly request: string; readonly reason: string }
> = ofPartner(async ({ input, partner, control }) => [
  ...await requestLines(control, partner, input),
  line("reason", { text: input.reason }),
]);

/** What the partner asked for, and how it signed that; whether the signature holds, the act finds out. */
async function requestLines(
  control: AnySql,
  { partnerId, clientId }: LockedPartner,
  { csr, request }: { readonly csr?: string; readonly request?: string | undefined },
): Promise<Line[]> {
  if (request === undefined) return [];
  const [asked] = await drizzle(control).select().from(credentialRequests)
    .where(isRequest(partnerId, request));
  const { readSigningRequest } = await import("@sabika/identity/certificates");
  const read = csr === undefined ? undefined : await readSigningRequest(csr, clientId);
  return [
    line("request", { text: request }),
    ...read?.ok ? [line("organisation", { text: read.value.organisation })] : [],
    ...asked === undefined ? [] : [
      line("requested_at", { at: formatTime(asked.createdAt) }),
      line("signed_by", { text: asked.evidence.keyId }),
      line("replaces", { text: asked.replaces }),
    ],
  ];
}

/** A key that ends. */
export const describeKey: Describe<{ readonly key_id: string; readonly overlap_ms: number }> =
  ofPartner(({ input }) => [line("key_id", { text: input.key_id }), overlapLine(input.overlap_ms)]);

/** A new secret. */
export const describeSecret: Describe<{ readonly overlap_ms: number }> = ofPartner(({ input }) => [
  overlapLine(input.overlap_ms),
]);

/** A token that is refused from now on. */
export const describeToken: Describe<{ readonly token: string }> = ofPartner(({ input }) => [
  line("token", { text: input.token }),
]);

/** The key that signs receipts until now. */
export const describeReceiptKey: Describe<object> = async ({ control }) => {
  const [key] = await control<{ id: string }[]>`
    select key_id as id from receipt_keys where valid_until is null`;
  return [line("ending_receipt_key", key === undefined ? { word: "none" } : { text: key.id })];
};
