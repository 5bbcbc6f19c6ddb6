import type { ActArguments } from "@sabika/identity/signatures";
import { findMistake } from "@sabika/office/acts";
import { type AdminOutcome, isActName, mayDo } from "@sabika/terms";
import { encodeBase64Url, encodeUtf8, refuse, sha256Hex } from "@sabika/protocol";
import type { Call, Shown } from "../call.ts";
import { DossierLines } from "../layout/dossier.tsx";
import { Code } from "../layout/inline.tsx";
import type { OfferedAct } from "./act_form.tsx";
import { BackLink } from "./form_fields.tsx";
import { PasskeyForm } from "./sign_in.tsx";

const LINK_BYTES = 32;

/** An act to be signed under an id, the page to return to afterwards, and the address that shows it again. */
interface Staged {
  readonly id: string;
  readonly name: OfferedAct;
  readonly input: ActArguments;
  readonly back: string;
  readonly again: string;
}

/**
 * Shows an act as it will be signed, with the passkey's form. The act was tried, and nothing is carried out yet.
 * An act that none of the viewer's roles permits is refused, and so is what would be refused now.
 */
export async function stageAct(
  call: Call,
  { id, name, input, back, again }: Staged,
): Promise<AdminOutcome<Shown>> {
  const { office, viewer, words, language, context } = call;
  if (!isActName(name) || !mayDo(viewer.roles, name)) {
    return refuse("not_permitted", words.notices.notPermitted);
  }
  const link = name === "operator.link" ? await newLink(call) : undefined;
  const whole = link === undefined ? input : { ...input, link_sha256: link.sha256 };
  const mistake = findMistake(name, whole);
  if (mistake !== undefined) return refuse("invalid_setting", mistake);
  const refusal = await office.tryAct(viewer, name, whole, context.get("from"));
  if (refusal !== undefined) return refusal;
  const staged = await office.stageAct(viewer, name, whole, id);
  if (!staged.ok) return staged;
  const { options, dossier, ...act } = staged.value;
  const hidden = {
    id: act.id,
    name,
    arguments: act.arguments,
    signedAt: String(act.signedAtSeconds),
    options: JSON.stringify(options),
    credential: "",
    back,
    again,
  };
  const content = (
    <>
      <section class="card narrow">
        <DossierLines call={call} dossier={dossier} />
      </section>
      {link && (
        <section class="card narrow">
          <p>{words.people.linkOnce}</p>
          <p class="secret">
            <Code text={link.url} />
          </p>
        </section>
      )}
      <PasskeyForm words={words} ceremony="act" next={`/${language}/acts`} hidden={hidden} />
      <BackLink call={call} back={back} />
    </>
  );
  return { ok: true, value: { title: words.acts[name], content } };
}

/** Makes a link by which a person registers a passkey; only the hash of its token is signed. */
async function newLink({ office }: Call): Promise<{ url: string; sha256: string }> {
  const token = encodeBase64Url(office.admin.random(LINK_BYTES));
  return {
    url: `${office.origin}/enrol#${token}`,
    sha256: await sha256Hex(encodeUtf8(token)),
  };
}
