import type { AttestationRole } from "@sabika/protocol";
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
