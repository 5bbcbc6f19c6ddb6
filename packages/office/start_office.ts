import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type Database, openDatabase, openStandbys } from "@sabika/database";
import { openKeys } from "@sabika/identity/secrets";
import { resolveHost } from "@sabika/network";
import { createAdminCells, type OpenedAdminCells } from "@sabika/service/audit";
import { CellError } from "@sabika/service/cells";
import { openDeployment } from "@sabika/service/deployment";
import { verifySchema } from "@sabika/service/schema";
import type { Address } from "@sabika/terms/settings";
import type { PartnerAdminContext } from "./partners/partner_admin_context.ts";
import { getRequestListener } from "@hono/node-server";
import {
  closeServer,
  HTTP_SERVER_OPTIONS,
  jobFailed,
  listenOn,
  type Log,
  noteConnections,
  openParts,
  startJobs,
} from "@sabika/server";
import { createOfficeApp, SINGLE_SIGN_ON_RETURN } from "./app.ts";
import { createOffice } from "./create_office.ts";
import { createSmtpSender } from "./notifications/smtp.ts";
import { startNotifier } from "./notifications/start_notifier.ts";
import type { OpenedPages, Pages } from "./office.ts";
import type { OfficeSettings } from "./settings.ts";
import { revocationsJob } from "./publish_revocations.ts";
import { placeOf, startMoveKeeper } from "./start_move_keeper.ts";
import { createSingleSignOn, type SingleSignOn } from "./single_sign_on.ts";

/** An office that is running. */
export interface RunningOffice {
  /** The port; undefined on a Unix socket. */
  readonly port: number | undefined;
  /** Lets requests in progress finish, for at most 10 s, then closes everything. */
  stop(): Promise<void>;
}

/** The clock, chance, log and network that the office gets from its caller, and its pages. */
export interface OfficeSurroundings {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly random: (length: number) => Uint8Array;
  readonly log: Log;
  /** Asks the company's OpenID provider, where there is one. */
  readonly fetch: typeof globalThis.fetch;
  /** Opens the pages beside the API; there are none by default. */
  readonly openPages?: (admin: PartnerAdminContext) => Promise<OpenedPages>;
}

const PATIENCE_MS = 10_000;
/** A query that takes longer is cancelled. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** For what people do and read. */
const SERVING = { maxConnections: 4, answerTimeoutMs: STATEMENT_TIMEOUT_MS + 5_000 };
/** A move needs one in each of its databases, made when needed, and copies for as long as it takes. */
const MOVING = { maxConnections: 8 };

/**
 * Opens the database, as a member of `sabika_operator`, and the keys; then listens.
 *
 * @throws {SchemaError | DeploymentError} with one line that says why the office must not run
 */
export function startOffice(
  settings: OfficeSettings,
  surroundings: OfficeSurroundings,
): Promise<RunningOffice> {
  const { now, random } = surroundings;
  const { environment, databaseUrl, kms, masterKeys, reloadMasterKeys: reload } = settings;
  const { standbyLagSeconds } = settings;
  for (const reason of settings.openSecretFiles ?? []) {
    surroundings.log("warning", "secret_file_open", { reason });
  }
  return openParts(async (opened) => {
    const database = connect(databaseUrl, { ...SERVING, standbyLagSeconds });
    opened.add(() => database.close());
    await verifySchema(database);
    const keys = openKeys({ kms, masterKeys, reload, now, random });
    const deployment = await openDeployment({ database, keys, environment, nowMs: now(), random });
    const cells = openCells(settings.cellUrls, database, { ...SERVING, standbyLagSeconds });
    opened.add(cells.close);
    const admin = {
      ...deployment,
      database,
      baseUrl: settings.baseUrl,
      cells,
      now,
      random,
      actor: { who: "nobody", from: "office" },
      endpoints: { allowLoopback: environment === "sandbox", resolve: resolveHost },
    };
    const { revocationsFolder: folder } = settings;
    if (folder !== undefined) {
      const jobs = [revocationsJob({ ...admin, folder })];
      opened.add(startJobs(jobs, jobFailed(surroundings.log)));
    }
    const pages = await surroundings.openPages?.(admin);
    if (pages !== undefined) opened.add(pages.close);
    const { log, fetch } = surroundings;
    const redirectUri = `${settings.origin}${SINGLE_SIGN_ON_RETURN}`;
    const singleSignOn = settings.singleSignOn &&
      createSingleSignOn(settings.singleSignOn, { redirectUri, fetch, now });
    const listening = await listenOffice(admin, settings, {
      log,
      pages: pages?.pages,
      singleSignOn,
    });
    opened.add(listening.stop);
    if (pages !== undefined) {
      const { mail } = settings;
      opened.add(startNotifier({
        ...admin,
        ...settings,
        ...pages,
        log,
        sendMail: mail && createSmtpSender(mail),
      }));
    }
    if (settings.cellUrls !== undefined) {
      const control = connect(databaseUrl, MOVING);
      opened.add(() => control.close());
      const cells = openCells(settings.cellUrls, control, MOVING);
      opened.add(cells.close);
      opened.add(startMoveKeeper({ ...placeOf(control, cells), now, log }));
    }
    return { port: listening.port, stop: opened.close };
  });
}

/** How a database is opened, and its standbys. */
interface Opening {
  readonly maxConnections: number;
  readonly answerTimeoutMs?: number;
  readonly standbyLagSeconds?: number | undefined;
}

function connect(url: string, { standbyLagSeconds = 0, ...opening }: Opening): Database {
  const options = {
    ...opening,
    applicationName: "sabika-office",
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  };
  const primary = openDatabase(url, options);
  const standbys = openStandbys({
    url,
    primary,
    lagLimitMs: standbyLagSeconds * 1_000,
    monotonic: () => performance.now(),
    options,
  });
  const close = async () => void await Promise.all([standbys.close(), primary.close()]);
  return { ...standbys.behind(primary), close };
}

/** The cells of `SABIKA_CELLS_FILE`, opened when needed, so that the office starts while one is away. */
function openCells(
  urls: OfficeSettings["cellUrls"],
  { sql }: Database,
  opening: Opening,
): OpenedAdminCells {
  return createAdminCells({
    readUrls: () => Promise.resolve(urls ?? new Map()),
    control: () => Promise.resolve(sql),
    async connect(url) {
      const database = connect(url, opening);
      try {
        await database.sql`select 1`;
        return { database, close: () => database.close() };
      } catch (error) {
        await database.close();
        const { code = "it does not answer" } = error as { code?: string };
        throw new CellError(code);
      }
    },
  });
}

/** Starts the office on a deployment that is open already, like the sandbox's; replaces an old socket. */
export async function listenOffice(
  admin: PartnerAdminContext,
  { listen, origin, tls, isTrusted }: Pick<
    OfficeSettings,
    "listen" | "origin" | "tls" | "isTrusted"
  >,
  { log, pages, singleSignOn }: {
    log: Log;
    pages?: Pages | undefined;
    singleSignOn?: SingleSignOn | undefined;
  },
): Promise<RunningOffice> {
  const app = createOfficeApp(createOffice(admin, origin, singleSignOn), { log, pages, isTrusted });
  const answer = getRequestListener(app.fetch, { hostname: new URL(origin).host });
  const server = tls === undefined ? createServer(HTTP_SERVER_OPTIONS, answer) : createTlsServer(
    { ...HTTP_SERVER_OPTIONS, cert: tls.certificatePem, key: tls.keyPem, minVersion: "TLSv1.2" },
    answer,
  );
  noteConnections(server, tls === undefined ? "connection" : "secureConnection");
  await removeStale(listen);
  const port = await listenOn(server, listen);
  log("info", "serving", { base_url: origin, name: "office" });
  return { port, stop: () => closeServer(server, PATIENCE_MS) };
}

async function removeStale(listen: Address): Promise<void> {
  if ("path" in listen) await rm(listen.path, { force: true });
}
