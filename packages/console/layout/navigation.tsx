import type { Person } from "@sabika/office";
import type { PageGroup } from "@sabika/office/reads";
import { mayDo } from "@sabika/terms";
import type { Page } from "../call.ts";
import { fill } from "../languages/fill.ts";
import { type Language, MESSAGES, type Messages } from "../languages/languages.ts";

/** The group of each page by the work that it is for; a page without one does not compile. */
const GROUP_OF: Readonly<Record<keyof Messages["pages"], PageGroup>> = {
  today: "today",
  notifications: "today",
  orders: "trading",
  quotes: "trading",
  prices: "trading",
  margins: "trading",
  partners: "partners",
  credentials: "partners",
  credentialRequests: "partners",
  endpoints: "partners",
  documents: "partners",
  fundings: "treasury",
  withdrawals: "treasury",
  ledger: "treasury",
  statements: "treasury",
  books: "treasury",
  vault: "custody",
  counts: "custody",
  reserves: "custody",
  attestationKeys: "custody",
  approvals: "control",
  policy: "control",
  people: "control",
  audit: "control",
};
/** The groups in their order; the first has no heading. */
const GROUPS = ["today", "trading", "partners", "treasury", "custody", "control"] as const;

/** The id of the navigation, by which the button for it opens it on a narrow screen. */
const ID = "pages";

/** The button that opens the navigation where there is no room beside the page. */
export function MenuButton({ language }: { language: Language }) {
  return (
    <button type="button" class="plain menu" popovertarget={ID}>{MESSAGES[language].menu}</button>
  );
}

/** The pages that a viewer's roles open, in groups. */
export function Navigation({ language, path, viewer, pages, unread }: {
  language: Language;
  /** As in the frame. */
  path: string | undefined;
  viewer: Person;
  pages: readonly Page[];
  /** How many notifications the viewer has not read. */
  unread: number;
}) {
  const words = MESSAGES[language];
  const entries = pages.flatMap(({ path, act, entry }) =>
    entry === undefined || !mayDo(viewer.roles, act)
      ? []
      : typeof entry === "string"
      ? [{ path, name: words.pages[entry], group: GROUP_OF[entry] }]
      : [{ path, name: entry[language], group: entry.group }]
  );
  const currentPath = path?.split("?")[0];
  return (
    // Where there is room it is always shown; elsewhere the browser opens and closes it without a script.
    <nav id={ID} popover="auto" aria-label={words.navigation}>
      {GROUPS.map((group) => {
        const links = entries.filter((entry) => entry.group === group);
        if (links.length === 0) return null;
        const id = `group-${group}`;
        return (
          <>
            {group !== "today" && <p id={id}>{words.groups[group]}</p>}
            <ul aria-labelledby={group === "today" ? undefined : id}>
              {links.map(({ path, name }) => (
                <li>
                  <a
                    href={`/${language}${path}`}
                    aria-current={currentPath === path
                      ? "page"
                      : path !== "" && currentPath?.startsWith(`${path}/`)
                      ? "true"
                      : undefined}
                  >
                    {name}
                    {path === "/notifications" && unread > 0 && (
                      <Unread count={unread} says={words.notifications.unread} />
                    )}
                  </a>
                </li>
              ))}
            </ul>
          </>
        );
      })}
    </nav>
  );
}

function Unread({ count, says }: { count: number; says: string }) {
  return (
    <>
      {" "}
      <strong class="count">
        <span aria-hidden="true">{count < 100 ? count : "99+"}</span>
        <span class="unseen">{fill(says, { count })}</span>
      </strong>
    </>
  );
}
