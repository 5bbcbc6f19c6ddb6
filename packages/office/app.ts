import type { Log } from "@sabika/server";
import { describeError, refusalOfError } from "@sabika/server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createAttemptLimit } from "./attempt_limit.ts";
import type { IsTrusted } from "./caller_address.ts";
import { guard, identify } from "./guard.ts";
import type { Office, OfficeEnv, Pages } from "./office.ts";
import { problem } from "./problem.ts";
import { Refused } from "./refused.ts";
import { actRoutes } from "./routes/acts.ts";
import { enrolmentRoutes } from "./routes/enrolment.ts";
import { readRoutes } from "./routes/reading.ts";
import { signInRoutes } from "./routes/sign_in.ts";
import { RETURN, SINGLE_SIGN_ON, singleSignOnRoutes } from "./routes/single_sign_on.ts";
import { findRequestSigner } from "./signed_request.ts";

/** The path of the Admin API. */
const BASE = "/admin/v1";
/** The path to which the company's OpenID provider sends people back. */
export const SINGLE_SIGN_ON_RETURN = `${BASE}${RETURN}`;
/** A thousand bars, with the dossier that their act has. */
const MOST_BYTES = 1_048_576;

/** Makes the office's HTTP application: the guard, `/admin/v1`, and pages if there are any. */
export function createOfficeApp(
  office: Office,
  { log, pages, isTrusted = () => false }: {
    log: Log;
    pages?: Pages | undefined;
    isTrusted?: IsTrusted | undefined;
  },
): Hono<OfficeEnv> {
  const { origin, admin: { database, now, random } } = office;
  const onSignIn = (name: string, from: string) => log("info", "signed_in", { name, peer: from });
  const app = new Hono<OfficeEnv>();
  app.use(identify({ origin, now, random, isTrusted }));
  // A liveness probe: it needs no database.
  app.get("/live", (context) => context.text("live\n"));
  // Before the guard, which reads the body of a request that is signed.
  app.use(bodyLimit({
    maxSize: MOST_BYTES,
    onError: (context) => refusedAnswer(context, new Refused("payload_too_large")),
  }));
  app.use(guard({ origin, database, now, findSigner: findRequestSigner(office) }));
  const limited = limitAttempts(now);
  app.on("POST", [`${BASE}/sign-in`, `${BASE}/sign-in/*`], limited);
  app.on("POST", [`${BASE}/enrolment`, `${BASE}/enrolment/*`], limited);
  app.on("GET", [`${BASE}${SINGLE_SIGN_ON}/*`], limited);
  app.route(BASE, signInRoutes(office, onSignIn));
  app.route(BASE, singleSignOnRoutes(office, onSignIn));
  app.route(BASE, enrolmentRoutes(office, onSignIn));
  app.route(BASE, actRoutes(office));
  app.route(BASE, readRoutes(office));
  if (pages !== undefined) app.route("/", pages(office));
  app.notFound((context) => problem(context, { code: "not_found", detail: undefined }));
  app.onError((error, context) => {
    if (error instanceof Refused) return refusedAnswer(context, error);
    const { code, detail } = refusalOfError(error);
    log("error", "request_failed", {
      request_id: context.get("requestId"),
      code,
      error: describeError(error),
    });
    return problem(context, { code, detail });
  });
  return app;

  function refusedAnswer(context: Context<OfficeEnv>, error: Refused): Response {
    log("info", "refused", {
      request_id: context.get("requestId"),
      code: error.code,
      peer: context.get("from"),
    });
    return problem(context, error);
  }
}

function limitAttempts(now: () => number): MiddlewareHandler<OfficeEnv> {
  const limit = createAttemptLimit(now);
  return async (context, next) => {
    if (!limit.allows(context.get("from"))) throw new Refused("rate_limited");
    await next();
  };
}
