import type { Messages } from "../languages/languages.ts";

const CEREMONIES = { signIn: "sign-in", enrol: "enrol", act: "act" } as const;

/** A ceremony with a passkey; the script `passkey.js` carries it out. */
export function PasskeyForm({ words, ceremony, next, hidden = {} }: {
  words: Messages;
  ceremony: keyof typeof CEREMONIES;
  /** Where it leads to when it is done. */
  next: string;
  /** What goes with it, by name. */
  hidden?: Readonly<Record<string, string>>;
}) {
  const { lead, button } = words[ceremony];
  return (
    <form class="card narrow" method="post" action={next} data-passkey={CEREMONIES[ceremony]}>
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <p>{lead}</p>
      {ceremony === "enrol" && <p class="soft">{words.enrol.again}</p>}
      <p>
        <button type="submit" disabled>{button}</button>
      </p>
      <p role="alert" class="wrong" hidden>
        {words.signIn.failed} <span data-reason="" />
      </p>
      <noscript>
        <p class="wrong">{words.signIn.needsScript}</p>
      </noscript>
      {ceremony === "signIn" && <p class="soft">{words.signIn.help}</p>}
    </form>
  );
}
