import { rootFile } from "@sabika/identity/certificates";
import { writePrivateFile } from "@sabika/identity/keys";
import { createFileKeys } from "@sabika/identity/secrets";
import { DeploymentError, openOwnDeployment } from "@sabika/service/deployment";
import { issueRequested } from "@sabika/office/partners";
import { createService, type Opened, openParts, type ServiceSettings } from "@sabika/server";
import {
  checkPort,
  openDataFolder,
  readdressKits,
  StartError,
  type Surroundings,
} from "@sabika/deployment/folders";
import { type DemoPartner, openDemoPartner, sandboxAdminContext } from "./demo_partner.ts";
import { openSandboxDatabase } from "./open_database.ts";
import { openMasterKeys } from "./open_master_keys.ts";
import { openSandboxConsole, type SandboxConsole } from "./sandbox_console.ts";
import { openServerIdentity } from "./server_identity.ts";

/** The settings of a sandbox (Decision D44). */
export interface SandboxSettings {
  /** The folder that holds everything the sandbox writes. */
  dataFolder: string;
  /** 0: any free one. */
  port: number;
  /** A PostgreSQL in place of the embedded database. */
  databaseUrl?: string;
  /** PEM of further authorities that may certify webhook receivers. */
  webhookCaPem?: string;
  /** Whether the first start makes the partner `demo`; true when left out. */
  demo?: boolean;
  /** Which answers get a line in the log; none when left out. */
  accessLog?: ServiceSettings["accessLog"];
}

/** A sandbox that serves. */
export interface Sandbox {
  baseUrl: string;
  /** The folder with the partners' kits, each under its client_id. */
  partnersFolder: string;
  /** For the operator's command or psql. */
  databaseUrl: string;
  demo: DemoPartner | undefined;
  console: Omit<SandboxConsole, "close">;
  /** Finishes requests that are under way, then closes everything; the data stays. */
  stop(): Promise<void>;
}

/**
 * Starts the whole service in this process on a data folder: embedded database, authorities, server
 * certificate, the partner `demo` with its kit. An existing folder goes on as it was left.
 *
 * @throws {StartError} with one line that says what to do
 */
export async function startSandbox(
  settings: SandboxSettings,
  surroundings: Surroundings,
): Promise<Sandbox> {
  try {
    return await openParts((opened) => start(settings, surroundings, opened));
  } catch (error) {
    if (error instanceof DeploymentError) throw new StartError(error.message);
    if (/master key/.test((error as Error).message)) {
      throw new StartError(
        `the database was begun with another master key than ${settings.dataFolder}/master.key: ` +
          `give the data folder that belongs to it, or another database`,
      );
    }
    throw error;
  }
}

async function start(
  settings: SandboxSettings,
  surroundings: Surroundings,
  opened: Opened,
): Promise<Sandbox> {
  const { now, random, log } = surroundings;
  const port = await checkPort(settings.port);
  const baseUrl = `https://127.0.0.1:${port}`;
  const folder = await openDataFolder(settings.dataFolder);
  opened.add(folder.release);

  const masterKeys = await openMasterKeys(folder.masterKeyFile, random);
  const { url, database, close: closeDatabase } = await openSandboxDatabase(
    folder,
    settings.databaseUrl,
    now,
  );
  opened.add(closeDatabase);
  const deployment = await openOwnDeployment({
    database,
    keys: createFileKeys({ masterKeys, random }),
    environment: "sandbox",
    nowMs: now(),
    random,
    root: rootFile(folder.rootFile),
    actor: { who: "sandbox", from: "start" },
  });
  // Now it is certain that folder and database belong together.
  await writePrivateFile(folder.databaseUrlFile, `${url}\n`);
  const { authorities } = deployment;
  const identity = await openServerIdentity(folder, authorities, surroundings);
  const admin = sandboxAdminContext({ ...deployment, database, baseUrl, now, random });
  const demo = settings.demo === false ? undefined : await openDemoPartner(admin, folder, baseUrl);
  await readdressKits(folder.partners, baseUrl);

  const service = createService({
    environment: "sandbox",
    baseUrl,
    databaseUrl: url,
    masterKeys,
    reloadMasterKeys: () => openMasterKeys(folder.masterKeyFile, random),
    listen: {
      kind: "tls",
      host: "127.0.0.1",
      port,
      certificatePem: identity.certificatePem,
      keyPem: identity.keyPem,
      clientCaPem: authorities.clientCaPem,
    },
    webhookCaPem: authorities.root.pem + (settings.webhookCaPem ?? ""),
    webhookAllowLoopback: true,
    accessLog: settings.accessLog ?? "none",
  }, {
    now,
    random,
    log,
    // The sandbox has all keys, so nobody needs to wait for an operator (Decision D120).
    async onCredentialRequest(requestId) {
      const issued = await issueRequested(admin, requestId);
      if (!issued.ok) log?.("warning", "credential_not_issued", { reason: issued.detail });
      await service.refresh();
    },
  });
  await service.start();
  opened.add(() => service.stop());
  await writePrivateFile(folder.baseUrlFile, `${baseUrl}\n`);
  const console = await openSandboxConsole(
    admin,
    settings.port || undefined,
    folder.mails,
    surroundings,
  );
  opened.add(console.close);
  return {
    baseUrl,
    partnersFolder: folder.partners,
    databaseUrl: url,
    demo,
    console,
    stop: opened.close,
  };
}
