import type { Database } from "@sabika/database";
import { createTradedHours } from "@sabika/office/oversight";
import { isAway } from "@sabika/service/cells";
import { countUnread } from "@sabika/service/notifications";
import { mayDo, rolesFor } from "@sabika/terms";
import { type OfficeEnv, type Pages, type Person, Refused } from "@sabika/office";
import { type Context, Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { serveAssets } from "./assets/assets.ts";
import type { Call, ConsoleParts, Page, Shown } from "./call.ts";
import { fill } from "./languages/fill.ts";
import { type Language, LANGUAGES, MESSAGES, preferredLanguage } from "./languages/languages.ts";
import { documentOf } from "./layout/document.tsx";
import { createOutcomes } from "./act_outcomes.ts";
import { createAuditVerifications } from "./audit_verifications.ts";
import { pathOf } from "./pages/form_fields.tsx";
import { PAGES } from "./pages/pages.ts";
import { PasskeyForm, SignInPage } from "./pages/sign_in.tsx";

type Asked = Context<OfficeEnv>;

/** No text in a page can run as a script or as a style, and nothing is loaded from elsewhere. */
const HEADERS = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    scriptSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
  xFrameOptions: "DENY",
  // With no-referrer, browsers would send forms with `Origin: null`.
  referrerPolicy: "same-origin",
});

/** Paths that redirect to the page in the browser's language; the last two need no sign-in. */
const WITHOUT_LANGUAGE = ["/", "/sign-in", "/enrol"];

/**
 * Makes the console as pages of the office. Each language has its own addresses, `/en/orders` and
 * `/ar/orders` (Decision D83).
 */
export function createConsole(
  { prices, reserveLowMicrograms = 0n, onError }: ConsoleParts,
): Pages {
  return (office) => {
    const app = new Hono<OfficeEnv>();
    app.use(HEADERS);
    serveAssets(app);
    for (const path of WITHOUT_LANGUAGE) {
      app.get(path, (context) => {
        const language = preferredLanguage(context.req.header("accept-language"));
        context.header("vary", "accept-language");
        const { search } = new URL(context.req.url);
        return context.redirect(`/${language}${path === "/" ? "" : path}${search}`);
      });
    }
    const { database, environment, now } = office.admin;
    const { cells } = office;
    const parts = {
      office,
      prices,
      onError,
      reserveLowMicrograms,
      database,
      cells,
      environment,
      now,
      tradedHours: createTradedHours(cells.all),
      outcomes: createOutcomes(now),
      verifications: createAuditVerifications(database, now),
    };
    for (const language of LANGUAGES) addPages(app, language, parts);
    return app;
  };
}

function addPages(
  app: Hono<OfficeEnv>,
  language: Language,
  parts: Omit<Call, "context" | "viewer" | "language" | "words">,
): void {
  const words = MESSAGES[language];
  const { notices } = words;
  const answer = async (context: Asked, { title, content, status = 200 }: Shown) => {
    const { pathname, search } = new URL(context.req.url);
    // The answer to a form has no address in the other language.
    const path = context.req.method === "GET"
      ? pathname.slice(language.length + 1) + search
      : undefined;
    const viewer = context.get("person");
    const { database, environment, office: { origin }, now } = parts;
    const unread = await unreadOf(database, viewer);
    const page = { language, path, viewer, title, content, unread };
    const frame = { ...page, environment, origin, nowMs: now(), pages: PAGES };
    return context.html(documentOf(frame), status, { "cache-control": "no-store" });
  };
  const refuse = (context: Asked, status: 403 | 404 | 500 | 503, title: string, reason: string) =>
    answer(context, {
      title,
      status,
      content: (
        <div class="card narrow">
          <p>{reason}</p>
          <p>
            <a href={`/${language}`}>{notices.back}</a>
          </p>
        </div>
      ),
    });
  const lost = (context: Asked) => refuse(context, 404, notices.notFound, notices.notFoundBecause);

  /** Leads to the page for signing in, and from there back to what was asked for. */
  const toSignIn = async (context: Asked, page: Page) => {
    const { pathname, search } = new URL(context.req.url);
    const isForm = page.method === "POST";
    const next = await page.returnTo?.(context, language) ?? pathname + (isForm ? "" : search);
    const query = new URLSearchParams({ next, ...isForm && { ended: "" } });
    return context.redirect(`/${language}/sign-in?${query}`, 303);
  };

  const serve = async (context: Asked, page: Page) => {
    const viewer = context.get("person");
    if (viewer === undefined) return await toSignIn(context, page);
    if (!mayDo(viewer.roles, page.act)) {
      const roles = rolesFor(page.act).map((role) => words.roles[role]).join(", ");
      const reason = fill(notices.notPermittedBecause, { roles });
      return refuse(context, 403, notices.notPermitted, reason);
    }
    try {
      const result = await page.show({ ...parts, context, viewer, language, words });
      if (result === undefined) return lost(context);
      if (!(result instanceof Response)) return await answer(context, result);
      // Copied by the context: otherwise it would lack the headers that the listener gives each answer.
      context.header("cache-control", "no-store");
      return context.newResponse(result.body, result);
    } catch (error) {
      if (error instanceof Refused && error.code === "service_unavailable") {
        return refuse(context, 503, notices.cellAway, error.message);
      }
      if (error instanceof Refused && error.code === "invalid_request") return lost(context);
      parts.onError(error);
      const [status, title] = isAway(error)
        ? [503, notices.cellAway] as const
        : [500, notices.broken] as const;
      return refuse(context, status, title, notices.brokenBecause);
    }
  };

  app.get(`/${language}/enrol`, (context) => {
    const content = <PasskeyForm words={words} ceremony="enrol" next={`/${language}`} />;
    return answer(context, { title: words.enrol.title, content });
  });
  app.get(`/${language}/sign-in`, (context) => {
    const hasProvider = parts.office.singleSignOn !== undefined;
    const refused = context.req.query("refused");
    const next = pathOf(context.req.query("next"), { language });
    const hasEnded = context.req.query("ended") !== undefined;
    const content = (
      <SignInPage
        words={words}
        next={next}
        hasProvider={hasProvider}
        refused={refused}
        hasEnded={hasEnded}
      />
    );
    return answer(context, { title: words.signIn.title, content });
  });
  for (const page of PAGES) {
    app.on(page.method ?? "GET", `/${language}${page.path}`, (context) => serve(context, page));
  }
  app.get(`/${language}/*`, lost);
}

/** Counts what the viewer has not read; 0 where it cannot be read, as a page that says so is shown anyway. */
async function unreadOf(database: Database, viewer: Person | undefined): Promise<number> {
  if (viewer === undefined) return 0;
  try {
    return await countUnread(database.sql, viewer.operatorId);
  } catch {
    return 0;
  }
}
