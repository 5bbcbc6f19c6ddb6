import type { Messages } from "../languages/languages.ts";

const CEREMONIES = { signIn: "sign-in", enrol: "enrol", act: "act" } as const;

/** The refusals with which `/admin/v1/single-sign-on` redirects to this page. */
const REFUSED = [
  "single_sign_on_failed",
  "single_sign_on_unavailable",
  "identity_unknown",
] as const;

/** The page for signing in: by passkey, or by the company's provider where there is one. */
export function SignInPage({ words, next, hasProvider, refused, hasEnded }: {
  words: Messages;
  next: string;
  hasProvider: boolean;
  /** A code of {@linkcode REFUSED}; others show nothing. */
  refused: string | undefined;
  /** Whether a form was sent after the session's end. */
  hasEnded: boolean;
}) {
  const reason = REFUSED.find((code) => code === refused);
  const query = /^\/\w+$/.test(next) ? "" : `?${new URLSearchParams({ next })}`;
  return (
    <>
      {reason !== undefined && <p role="alert" class="wrong">{words.signIn.refused[reason]}</p>}
      {hasEnded && <p role="alert">{words.signIn.ended}</p>}
      <PasskeyForm words={words} ceremony="signIn" next={next} />
      {hasProvider && (
        <section class="card narrow">
          <p>{words.signIn.provider}</p>
          <p>
            <a href={`/admin/v1/single-sign-on${query}`}>
              {words.signIn.providerButton}
            </a>
          </p>
        </section>
      )}
    </>
  );
}

/** The form of a ceremony with a passkey, which the script `passkey.js` carries out. */
export function PasskeyForm({ words, ceremony, next, lead, hidden = {} }: {
  words: Messages;
  ceremony: keyof typeof CEREMONIES;
  /** The path that the form leads to when the ceremony is done. */
  next: string;
  /** What is said above the button, if not as usual. */
  lead?: string;
  /** Hidden fields, by name. They are sent as they are: quotes of an address would take twice the room. */
  hidden?: Readonly<Record<string, string>>;
}) {
  const { lead: usual, button } = words[ceremony];
  return (
    <form
      class="card narrow"
      method="post"
      action={next}
      enctype="multipart/form-data"
      data-passkey={CEREMONIES[ceremony]}
    >
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <p>{lead ?? usual}</p>
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
