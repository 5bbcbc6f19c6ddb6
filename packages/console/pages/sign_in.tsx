import type { Messages } from "../languages/languages.ts";

/** A ceremony with a passkey; the script `passkey.js` carries it out. */
export function PasskeyForm({ words, ceremony, next }: {
  words: Messages;
  ceremony: "signIn" | "enrol";
  /** Where it leads to when it is done. */
  next: string;
}) {
  const { lead, button } = words[ceremony];
  return (
    <form class="card narrow" method="post" action={next} data-passkey={NAMES[ceremony]}>
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

const NAMES = { signIn: "sign-in", enrol: "enrol" } as const;
