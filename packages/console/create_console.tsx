import { mayDo, rolesFor } from "@sabika/core/admin";
import { createTradedHours } from "@sabika/core/oversight";
import { type Context, Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { serveAssets } from "./assets/assets.ts";
import type { ConsoleEnv, ConsoleParts, Page, Shown } from "./call.ts";
import { type Language, LANGUAGES, MESSAGES, preferredLanguage } from "./languages/languages.ts";
import { documentOf } from "./layout/document.tsx";
import { Notice } from "./pages/notice.tsx";
import { PAGES } from "./pages/pages.ts";
import { PasskeyForm } from "./pages/sign_in.tsx";

type Asked = Context<ConsoleEnv>;

/** Nothing that is written into a page runs or styles it, and nothing comes from elsewhere. */
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
  // With no-referrer, browsers would not say of a form where it comes from.
  referrerPolicy: "same-origin",
});

/** Pages that nobody needs to be signed in for. */
const CEREMONIES = [["/sign-in", "signIn"], ["/enrol", "enrol"]] as const;

/**
 * The console, to be mounted at `/` behind what finds out who asks (`context.get("person")`). Each
 * language has addresses of its own, `/en/orders` and `/ar/orders` (Decision D83).
 */
export function createConsole(parts: ConsoleParts): Hono<ConsoleEnv> {
  const app = new Hono<ConsoleEnv>();
  app.use(HEADERS);
  serveAssets(app);
  for (const path of ["", ...CEREMONIES.map(([path]) => path)]) {
    app.get(path === "" ? "/" : path, (context) => {
      context.header("vary", "accept-language");
      return context.redirect(
        `/${preferredLanguage(context.req.header("accept-language"))}${path}`,
      );
    });
  }
  const tradedHours = createTradedHours(parts.database);
  for (const language of LANGUAGES) addPages(app, language, { ...parts, tradedHours });
  return app;
}

function addPages(
  app: Hono<ConsoleEnv>,
  language: Language,
  parts: ConsoleParts & { tradedHours: ReturnType<typeof createTradedHours> },
): void {
  const words = MESSAGES[language];
  const { notices } = words;
  const answer = (context: Asked, { title, content, status = 200 }: Shown) => {
    const { pathname, search } = new URL(context.req.url);
    const path = pathname.slice(language.length + 1) + search;
    const viewer = context.get("person");
    const { environment } = parts;
    const frame = { language, environment, path, viewer, title, content, pages: PAGES };
    return context.html(documentOf(frame), status, { "cache-control": "no-store" });
  };
  const refuse = (context: Asked, status: 403 | 404 | 500, title: string, because: string) =>
    answer(context, {
      ...{ title, status },
      content: <Notice words={words} because={because} home={`/${language}`} />,
    });
  const lost = (context: Asked) => refuse(context, 404, notices.notFound, notices.notFoundBecause);

  const serve = async (context: Asked, page: Page) => {
    const viewer = context.get("person");
    if (viewer === undefined) return context.redirect(`/${language}/sign-in`, 303);
    if (!mayDo(viewer.roles, page.act)) {
      const roles = rolesFor(page.act).map((role) => words.roles[role]).join(", ");
      return refuse(context, 403, notices.notPermitted, notices.notPermittedBecause(roles));
    }
    try {
      const shown = await page.show({ ...parts, context, viewer, language, words });
      if (shown === undefined) return lost(context);
      return shown instanceof Response ? shown : answer(context, shown);
    } catch (error) {
      parts.onError(error);
      return refuse(context, 500, notices.broken, notices.brokenBecause);
    }
  };

  for (const [path, ceremony] of CEREMONIES) {
    const content = <PasskeyForm words={words} ceremony={ceremony} next={`/${language}`} />;
    app.get(
      `/${language}${path}`,
      (context) => answer(context, { title: words[ceremony].title, content }),
    );
  }
  for (const page of PAGES) app.get(`/${language}${page.path}`, (context) => serve(context, page));
  app.get(`/${language}/*`, lost);
}
