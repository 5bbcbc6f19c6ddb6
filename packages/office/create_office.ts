import {
  type ActArguments,
  argumentsText,
  contentOf,
  contentOfAll,
  formatAssertion,
} from "@sabika/identity/signatures";
import { findSigner, listOperators } from "@sabika/service/audit";
import { type ActName, mayDo } from "@sabika/terms";
import { argumentsOfAct, tryAct } from "./acts/perform.ts";
import { describeArguments } from "./acts/describe_arguments.ts";
import { inCells } from "./oversight/in_cells.ts";
import type { PartnerAdminContext } from "./partners/partner_admin_context.ts";
import { decodeHex, refuse, uuidV7 } from "@sabika/protocol";
import type { Office, SignedByPasskey, StagedAct } from "./office.ts";
import type { Person } from "./people/person.ts";
import { readAssertion, requestOptions } from "./passkeys.ts";
import { perform } from "./perform.ts";
import { canonicalOf, membersOf } from "./read_body.ts";
import { openCell } from "./reads/open_cell.ts";
import type { SingleSignOn } from "./single_sign_on.ts";

/** Makes the {@linkcode Office} of an open deployment, for pages at `origin` (`https://office.example`). */
export function createOffice(
  context: PartnerAdminContext,
  origin: string,
  singleSignOn?: SingleSignOn,
): Office {
  const admin = { ...context, passkeyOrigin: origin };
  const { database, environment, now, random, secrets } = admin;
  const openNamedCell = (cellId: string) => openCell(admin, cellId);
  const cells = inCells({ control: database, openCell: openNamedCell });

  /** Makes options for a person's passkeys, with a hash as their challenge. */
  const optionsFor = async ({ name }: Person, hash: string): Promise<unknown> => {
    const [operator] = await listOperators(database.sql, name);
    const passkeys = operator!.keys.flatMap(({ credentialId, validUntilMs }) =>
      credentialId !== null && (validUntilMs ?? Infinity) > now() ? [credentialId] : []
    );
    return requestOptions(origin, decodeHex(hash)!, passkeys);
  };

  return {
    admin,
    origin,
    cells,
    readContext: ({ name: who }, from = "office") => ({
      database,
      cells,
      openCell: openNamedCell,
      who,
      from,
      now,
      secrets,
      environment: () => Promise.resolve(environment),
    }),
    singleSignOn,

    async stageAct(
      person: Person,
      name: string,
      values: ActArguments,
      id = uuidV7(now(), random),
    ) {
      if (argumentsOfAct(name) === undefined) return refuse("not_found", `no page does ${name}`);
      if (!mayDo(person.roles, name as ActName)) {
        return refuse("not_permitted", `no role of "${person.name}" opens ${name}`);
      }
      const place = { sql: database.sql, cells: admin.cells, now, environment };
      const { operatorId } = person;
      const described = await describeArguments(place, name, values, { id, operatorId });
      if (!described.ok) return described;
      const { input, dossier } = described.value;
      const act = { id, name, argumentsText: argumentsText(input) };
      const signedAtSeconds = Math.floor(now() / 1000);
      const hash = await contentOf(environment, { ...act, signedAtMs: signedAtSeconds * 1000 });
      const value: StagedAct = {
        id,
        name,
        arguments: act.argumentsText,
        signedAtSeconds,
        dossier,
        hash,
        options: await optionsFor(person, hash),
      };
      return { ok: true, value };
    },

    optionsForAll: async (person, acts) =>
      await optionsFor(person, await contentOfAll(acts.map(({ hash }) => hash))),

    tryAct: ({ name: who }, name, input, from) =>
      tryAct({ ...admin, actor: { who, from } }, name, argumentsText(input)),

    async performSigned(person: Person, signed: SignedByPasskey, from: string) {
      const { id, name, arguments: text, signedAtSeconds } = signed;
      const { credentialId, assertion } = readAssertion(
        origin,
        membersOf(signed.credential, "credential"),
      );
      const signer = await findSigner(database.sql, { credentialId });
      if (signer === undefined || signer.operatorId !== person.operatorId) {
        return refuse("signature_invalid", `the passkey is not "${person.name}"'s`);
      }
      if (!isCanonical(text)) {
        return refuse("invalid_setting", "the arguments are not as they were staged");
      }
      const act = { id, name, argumentsText: text, signedAtMs: signedAtSeconds * 1000 };
      const signature = formatAssertion(signer.key.keyId, assertion, signed.together);
      return await perform(
        { ...admin, actor: { who: person.name, from } },
        { signed: { ...act, signature }, attachment: signed.attachment },
      );
    },
  };
}

/** Whether a text is canonical JSON, the only form in which arguments are signed. */
function isCanonical(text: string): boolean {
  try {
    return canonicalOf(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}
