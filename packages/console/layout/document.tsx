import type { Environment } from "@sabika/protocol";
import type { Person } from "@sabika/office";
import type { Child } from "hono/jsx";
import { addressOf } from "../assets/assets.ts";
import type { Page } from "../call.ts";
import { DIRECTION, type Language, LANGUAGES, MESSAGES } from "../languages/languages.ts";
import { Code, Moment } from "./inline.tsx";
import { MenuButton, Navigation } from "./navigation.tsx";

/** A page and what the frame around it shows. */
export interface Frame {
  readonly language: Language;
  readonly environment: Environment;
  /**
   * The path after the language, with its query: where the other language has the same page. Undefined
   * for the answer to a form, which has no address of its own.
   */
  readonly path: string | undefined;
  /** Undefined when nobody is signed in. */
  readonly viewer: Person | undefined;
  /** The console's own, without a path. */
  readonly origin: string;
  /** When the page was made, epoch milliseconds. */
  readonly nowMs: number;
  readonly title: string;
  readonly content: Child;
  /** The pages of the navigation. */
  readonly pages: readonly Page[];
  /** How many notifications the viewer has not read. */
  readonly unread: number;
}

/** Makes the whole HTML document of a page. */
export async function documentOf(frame: Frame): Promise<string> {
  const { language, title } = frame;
  const words = MESSAGES[language];
  const document = (
    <html lang={language} dir={DIRECTION[language]}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · ${words.product}`}</title>
        <link rel="stylesheet" href={addressOf("console.css")} />
        <link rel="icon" type="image/svg+xml" href={addressOf("icon.svg")} />
        <script type="module" src={addressOf("passkey.js")} />
        <script type="module" src={addressOf("shortcuts.js")} />
      </head>
      <body data-copied={words.copied} data-ticked={words.keys.ticked}>
        <a class="skip" href="#main">{words.skip}</a>
        <Top {...frame} />
        {frame.viewer && <Navigation {...frame} viewer={frame.viewer} />}
        {frame.viewer && <Keys language={language} />}
        <main id="main" tabindex={-1}>
          <h1>{title}</h1>
          {frame.content}
        </main>
        {frame.viewer && <Foot {...frame} viewer={frame.viewer} />}
      </body>
    </html>
  );
  // Forms read what they offer while the page is made.
  return `<!doctype html>${await document.toString()}`;
}

function Top({ language, environment, path, viewer }: Frame) {
  const words = MESSAGES[language];
  const other = LANGUAGES.find((name) => name !== language)!;
  return (
    <header class="top">
      {viewer && <MenuButton language={language} />}
      <a class="brand" href={`/${language}`}>
        <img src={addressOf("icon.svg")} alt="" width="28" height="28" />
        <strong>{words.product}</strong> <span class="room">{words.office}</span>
      </a>
      <span class={`badge ${environment}`}>{words.environment[environment]}</span>
      {viewer && (
        <form class="search" role="search" method="get" action={`/${language}/search`}>
          <input
            name="q"
            type="search"
            minlength={2}
            required
            value={searchedIn(path)}
            aria-label={words.search.title}
            placeholder={words.search.placeholder}
            aria-keyshortcuts="/"
          />
          <button type="submit" class="plain">{words.search.button}</button>
        </form>
      )}
      <div class="who">
        <a lang={other} hreflang={other} href={`/${other}${path ?? ""}`}>{words.otherLanguage}</a>
        {viewer && (
          <>
            <span>
              <span class="room">{words.signedInAs}</span> <bdi>{viewer.name}</bdi>
            </span>
            <button type="button" class="plain" popovertarget="keys" aria-keyshortcuts="?" hidden>
              {words.keys.title}
            </button>
            <button type="button" class="plain" data-sign-out={`/${language}/sign-in`} hidden>
              {words.signOut}
            </button>
          </>
        )}
      </div>
    </header>
  );
}

/** The keys of the script `shortcuts.js`, which "?" shows. */
function Keys({ language }: { language: Language }) {
  const { keys } = MESSAGES[language];
  const lines = [
    ["j ↓", keys.next],
    ["k ↑", keys.previous],
    ["Enter", keys.open],
    ["x", keys.tick],
    ["Shift Enter", keys.goOn],
    ["/", keys.search],
    ["?", keys.show],
  ];
  return (
    <section
      id="keys"
      class="card"
      popover="auto"
      aria-labelledby="keys-title"
      tabindex={-1}
    >
      <h2 id="keys-title">{keys.title}</h2>
      <dl class="facts">
        {lines.map(([names, says]) => (
          <div>
            <dt dir="ltr">{names!.split(" ").map((name) => <kbd>{name}</kbd>)}</dt>
            <dd>{says}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** What a printed page ends with: its address, when it was made, and for whom. */
function Foot({ language, origin, path, nowMs, viewer }: Frame & { viewer: Person }) {
  const words = MESSAGES[language];
  return (
    <footer class="foot">
      <Code text={`${origin}/${language}${path ?? ""}`} />
      <span>
        {words.time} <Moment ms={nowMs} /> · <bdi>{viewer.name}</bdi>
      </span>
    </footer>
  );
}

/** Returns what the page of a search was asked for; undefined on other pages. */
function searchedIn(path = ""): string | undefined {
  const [page, query] = path.split("?");
  return page === "/search" ? new URLSearchParams(query).get("q") ?? undefined : undefined;
}
