import type { ResultOf } from "@sabika/office/acts";
import type { Call } from "../call.ts";
import { Code, Moment } from "../layout/inline.tsx";
import { type Fact, Facts } from "../layout/table.tsx";

/** When the replaced credentials of a rotation end, and how many they are. */
interface Ending {
  readonly oldEndsAtMs: number;
  readonly oldCount: number;
}

/**
 * The parts of an act's result that are shown only once: certificates, secrets, a kit's file. No other page
 * and no log has them. Nothing for acts without such parts.
 */
export function ShownOnce({ call, id, act, result }: {
  call: Call;
  id: string;
  act: string;
  result: unknown;
}) {
  const { words: { shownOnce } } = call;
  const { facts, isSecret } = partsOf(call, id, act, result);
  if (facts.length === 0) return null;
  return (
    <section class="card" aria-labelledby="shown-once">
      <h2 id="shown-once">{isSecret ? shownOnce.secret : shownOnce.made}</h2>
      {isSecret && <p class="wrong">{shownOnce.keep}</p>}
      <Facts facts={facts} />
    </section>
  );
}

function partsOf(
  call: Call,
  id: string,
  act: string,
  result: unknown,
): { facts: Fact[]; isSecret: boolean } {
  const { words: { shownOnce } } = call;
  switch (act) {
    case "partner.create":
      return { facts: kitFacts(call, id, result as ResultOf<"partner.create">), isSecret: true };
    case "client-secret.rotate":
    case "webhook-secret.rotate": {
      const rotated = result as ResultOf<"client-secret.rotate">;
      const name = act === "client-secret.rotate"
        ? shownOnce.clientSecret
        : shownOnce.webhookSecret;
      const secret = <Code text={rotated.credential} />;
      return { facts: [[name, secret], ...endOf(call, rotated)], isSecret: true };
    }
    case "certificate.rotate": {
      const rotated = result as ResultOf<"certificate.rotate">;
      const { credential, issuerPem } = rotated;
      const facts = certificateFacts(call, { ...credential, issuerPem });
      return { facts: [...facts, ...endOf(call, rotated)], isSecret: false };
    }
    case "certificate.issue": {
      const issued = result as ResultOf<"certificate.issue">;
      return { facts: certificateFacts(call, issued), isSecret: false };
    }
    case "signing-key.rotate": {
      const rotated = result as ResultOf<"signing-key.rotate">;
      const key = [shownOnce.signingKey, <Code text={rotated.credential} />] as const;
      return { facts: [key, ...endOf(call, rotated)], isSecret: false };
    }
    default:
      return { facts: [], isSecret: false };
  }
}

/** A new partner's kit, which only its encrypted file has whole (Decision D100). */
function kitFacts(
  { words: { shownOnce }, language }: Call,
  id: string,
  { kit, certificate, file }: ResultOf<"partner.create">,
): Fact[] {
  const facts: readonly (readonly [name: string, text: string | null | undefined])[] = [
    [shownOnce.clientId, kit.clientId],
    [shownOnce.signingKey, kit.signingKeyId],
    [shownOnce.hash, certificate?.hashHex],
    [shownOnce.passphrase, file?.passphrase],
  ];
  return [
    ...facts.flatMap(([name, text]) => text ? [[name, <Code text={text} />] as const] : []),
    ...file === null ? [] : [
      [shownOnce.file, <a href={`/${language}/acts/${id}/kit`} download>{file.name}</a>] as const,
    ],
  ];
}

function certificateFacts(
  { words: { shownOnce, overview } }: Call,
  { hashHex, pem, issuerPem, validUntilMs }: ResultOf<"certificate.issue">,
): Fact[] {
  return [
    [shownOnce.hash, <CopyText text={hashHex} />],
    [overview.ends, <Moment ms={validUntilMs} />],
    // As in the kit: followed by the certificate of the issuing authority.
    [shownOnce.certificate, <CopyText text={pem + issuerPem} />],
  ];
}

function endOf({ words: { shownOnce } }: Call, { oldEndsAtMs, oldCount }: Ending): Fact[] {
  return oldCount === 0 ? [] : [[shownOnce.oldEnd, <Moment ms={oldEndsAtMs} />]];
}

/** A text to be copied, with its lines. */
function CopyText({ text }: { text: string }) {
  return text.includes("\n")
    ? <pre class="code" dir="ltr" tabindex={0}>{text.trimEnd()}</pre>
    : <Code text={text} />;
}
