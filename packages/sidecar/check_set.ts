import "reflect-metadata";
import { BasicConstraintsExtension, X509Certificate, X509Crl } from "@peculiar/x509";
import { keyFits } from "./key_fits.ts";
import { pemBlocks, pemBytes } from "./pem.ts";
import { readPrivateKey } from "./private_key.ts";
import type { SecretSet } from "./secret_set.ts";

/** The rules that a set of secrets must meet before it is handed to Envoy. */
export interface SetRules {
  nowMs: number;
  /** How many days each certificate must still be valid. */
  certificateDays: number;
  /** How many hours each revocation list must still be valid. */
  crlHours: number;
}

/** How long certificates and revocation lists must still be valid by default. */
export const DEFAULT_RULES = { certificateDays: 3, crlHours: 1 } as const;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const EDGE_SECRET = /^[\x21-\x7e]{32,512}$/;

/**
 * Checks a set. Returns a sentence for each problem, which names the part; none when the set is good.
 *
 * Envoy checks none of this before it uses a set: an empty revocation list switches
 * revocation off, an expired one refuses everybody, and `--mode validate` accepts both.
 */
export async function checkSet(set: SecretSet, rules: SetRules): Promise<string[]> {
  return [
    ...await checkServer(set, rules),
    ...await checkAuthorities(set, rules),
    ...checkEdgeSecret(set.edgeSecret),
  ];
}

async function checkServer(set: SecretSet, rules: SetRules): Promise<string[]> {
  const chain = certificates(set.serverCertificate);
  const [leaf] = chain ?? [];
  if (chain === undefined || leaf === undefined) {
    return ["server certificate: not a PEM certificate"];
  }
  const problems = chain.flatMap((certificate, n) =>
    times(n === 0 ? "server certificate" : "server chain", certificate, rules)
  );
  if (leaf.getExtension(BasicConstraintsExtension)?.ca) {
    problems.push("server certificate: it is a CA's");
  }
  for (let n = 1; n < chain.length; n++) {
    if (!await signedBy(chain[n - 1]!, chain[n]!)) {
      problems.push(`server chain: certificate ${n} is not signed by certificate ${n + 1}`);
    }
  }
  const key = readPrivateKey(set.serverKey);
  if (!key.ok) problems.push(`server key: ${key.problem}`);
  else if (!await keyFits(key.pkcs8, leaf)) {
    problems.push("server key: not the key of the server certificate");
  }
  return problems;
}

async function checkAuthorities(set: SecretSet, rules: SetRules): Promise<string[]> {
  const authorities = certificates(set.partnerCa);
  if (authorities === undefined || authorities.length === 0) {
    return ["partner CA: not a PEM certificate"];
  }
  const lists = revocationLists(set.partnerCrl);
  if (lists === undefined || lists.length === 0) {
    return ["partner CRL: empty or not a PEM list, which would switch revocation off"];
  }
  const problems = lists.flatMap((list) => freshness(list, rules));
  const listed = new Set<X509Crl>();
  for (const authority of authorities) {
    problems.push(...times("partner CA", authority, rules));
    if (!authority.getExtension(BasicConstraintsExtension)?.ca) {
      problems.push(`partner CA: ${authority.subject} is not a CA`);
    }
    const found: X509Crl[] = [];
    for (const list of lists) if (await listSignedBy(list, authority)) found.push(list);
    found.forEach((list) => listed.add(list));
    if (found.length === 0) problems.push(`partner CRL: none is signed by ${authority.subject}`);
  }
  if (listed.size < lists.length) problems.push("partner CRL: one is signed by none of the CAs");
  return problems;
}

function checkEdgeSecret(secret: string): string[] {
  return EDGE_SECRET.test(secret)
    ? []
    : ["edge secret: must be one line of 32 to 512 visible ASCII characters"];
}

function times(name: string, certificate: X509Certificate, rules: SetRules): string[] {
  const problems: string[] = [];
  if (certificate.notBefore.getTime() > rules.nowMs) problems.push(`${name}: not valid yet`);
  if (certificate.notAfter.getTime() < rules.nowMs + rules.certificateDays * DAY_MS) {
    problems.push(`${name}: ends at ${certificate.notAfter.toISOString()}, too soon`);
  }
  return problems;
}

function freshness(list: X509Crl, rules: SetRules): string[] {
  const problems: string[] = [];
  if (list.thisUpdate.getTime() > rules.nowMs) problems.push("partner CRL: not valid yet");
  const end = list.nextUpdate?.getTime();
  if (end !== undefined && end < rules.nowMs + rules.crlHours * HOUR_MS) {
    problems.push(`partner CRL: ends at ${list.nextUpdate!.toISOString()}, too soon`);
  }
  return problems;
}

function certificates(text: string): X509Certificate[] | undefined {
  return orUndefined(() =>
    pemBlocks(text, "CERTIFICATE").map((block) => new X509Certificate(block))
  );
}

function revocationLists(text: string): X509Crl[] | undefined {
  return orUndefined(() =>
    pemBlocks(text, "X509 CRL").map((block) => new X509Crl(pemBytes(block)))
  );
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

async function signedBy(certificate: X509Certificate, issuer: X509Certificate): Promise<boolean> {
  if (certificate.issuer !== issuer.subject) return false;
  return await certificate.verify({ publicKey: issuer.publicKey, signatureOnly: true }).catch(() =>
    false
  );
}

async function listSignedBy(list: X509Crl, issuer: X509Certificate): Promise<boolean> {
  if (list.issuer !== issuer.subject) return false;
  return await list.verify({ publicKey: issuer.publicKey }).catch(() => false);
}
