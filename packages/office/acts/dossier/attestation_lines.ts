import { type AttestationRole, formatHalalas } from "@sabika/protocol";
import { checkAttestation } from "@sabika/service/reserves";
import { line } from "./line.ts";
import { keyOf } from "./partner_lines.ts";
import type { Describe } from "./subject.ts";

/** A key of an inspector or auditor that is registered. */
export const describeOutsidersKey: Describe<{
  readonly role: AttestationRole;
  readonly holder: string;
  readonly key: string;
}> = async ({ input: { role, holder, key } }) => [
  line("attests", { word: role }),
  line("holder", { text: holder }),
  line("key_id", await keyOf(key, "")),
];

/** A key of an inspector or auditor that ends. */
export const describeEndedKey: Describe<{ readonly key: string }> = async ({ input, control }) => {
  const [known] = await control<{ role: AttestationRole; holder: string }[]>`
    select role, holder from attestation_keys where key_id = ${input.key}`;
  return [
    ...known === undefined
      ? []
      : [line("attests", { word: known.role }), line("holder", { text: known.holder })],
    line("key_id", { text: input.key }),
  ];
};

/** A reserve that an auditor attested, and whose key that is. */
export const describeAttestation: Describe<{ readonly day: string; readonly signature: string }> =
  async ({ input: { day, signature }, control }) => {
    const checked = await checkAttestation(control, { day, signature: signature.trim() });
    const named = line("end_of_day", { text: day });
    // What is no attestation, the act refuses.
    if (!checked.ok) return [named];
    const { reserve: { cash, commitments }, hash, key } = checked;
    return [
      named,
      line("reserve_sha256", { text: hash }),
      line("reserve_partners", { count: commitments.length }),
      line("reserve_owed", { sar: formatHalalas(cash.obligationsHalalas) }),
      line("holder", { text: key.holder }),
      line("key_id", { text: key.keyId }),
    ];
  };
