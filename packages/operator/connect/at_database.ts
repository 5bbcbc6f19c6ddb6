import type { Database } from "@sabika/database";
import { rootFile } from "@sabika/identity/certificates";
import {
  type KeyService,
  type KmsSettings,
  openKeys,
  readKmsSettings,
} from "@sabika/identity/secrets";
import type { ActArguments } from "@sabika/identity/signatures";
import {
  argumentsOfAct,
  describeArguments,
  performAct,
  type Performed,
  performWith,
  UnbookedError,
} from "@sabika/office/acts";
import type { PartnerAdminContext } from "@sabika/office/partners";
import { type AskedAct, authoriseMigration } from "@sabika/office/people";
import { type Actor, type AdminContext, findSigner, readEnvironment } from "@sabika/service/audit";
import { CellError, MAIN_CELL, verifyControl } from "@sabika/service/cells";
import { beginDeployment, DeploymentError, openDeployment } from "@sabika/service/deployment";
import { SchemaError } from "@sabika/service/schema";
import type { ActName, AdminOutcome } from "@sabika/terms";
import { type Environment, uuidV7 } from "@sabika/protocol";
import { join } from "node:path";
import type { Surroundings } from "../context.ts";
import { LaterError, must, RefusedError, UsageError } from "../outcome.ts";
import { askAct, reportBrokenGlass } from "./ask_act.ts";
import type { CommonFlags } from "./common_flags.ts";
import { findBaseUrl } from "./find_base_url.ts";
import { requirePrivateFiles } from "./require_private_files.ts";
import type { Engine } from "./engine.ts";
import { type Connection, openConnection } from "./open_connection.ts";
import { type MasterKeyText, readMasterKeyText } from "./read_master_key_text.ts";
import { readMasterKeysOf } from "./read_master_keys_of.ts";
import { readNamedUrl, type UrlName } from "./read_named_url.ts";
import { createSessionCells } from "./session_cells.ts";
import { wantedEnvironment } from "./wanted_environment.ts";

/** Who runs a command, with which flags and surroundings. */
interface Run {
  readonly flags: CommonFlags;
  readonly surroundings: Surroundings;
  readonly dataFolder: string;
  readonly actor: Actor;
}

/** A command's work at the database itself. Connections and keys are opened on first use. */
export class AtDatabase implements Run, Engine {
  readonly flags: CommonFlags;
  readonly surroundings: Surroundings;
  readonly dataFolder: string;
  readonly actor: Actor;
  /** The databases of partners that do not live in control's. */
  readonly cells = createSessionCells(this);
  #connection: Promise<Connection> | undefined;
  #verified: Promise<Database> | undefined;

  constructor({ flags, surroundings, dataFolder, actor }: Run) {
    this.flags = flags;
    this.surroundings = surroundings;
    this.dataFolder = dataFolder;
    this.actor = actor;
  }

  /** Control's database, once verified to have this release's schema; opens no secret. */
  database(): Promise<Database> {
    return this.#verified ??= this.#verify();
  }

  /** The database of a cell's partners; throws a `RefusedError` when it cannot be used now. */
  async databaseOf(cellId: string): Promise<Database> {
    if (cellId === MAIN_CELL) return await this.database();
    try {
      return await this.cells.open(cellId);
    } catch (error) {
      if (!(error instanceof CellError)) throw error;
      throw new RefusedError("cell_away", `the cell "${cellId}" cannot be used: ${error.message}`);
    }
  }

  /** Why a cell cannot be used; null when it can. */
  async troubleOf(cellId: string): Promise<string | null> {
    if (cellId === MAIN_CELL) return null;
    try {
      await this.cells.open(cellId);
      return null;
    } catch (error) {
      if (error instanceof CellError) return error.message;
      throw error;
    }
  }

  /**
   * The database whatever its schema, for `sabika migrate`; as its owner if the owner's URL is named.
   * Throws a `RefusedError` if it belongs to another environment.
   */
  async unverifiedDatabase(): Promise<Database> {
    this.#connection ??= this.#connect(["SABIKA_OWNER_DATABASE_URL"]);
    const { database } = await this.#connection;
    this.#refuseOther(await readEnvironment(database));
    return database;
  }

  async #verify(): Promise<Database> {
    this.#connection ??= this.#connect(
      this.flags.breakGlass === undefined
        ? []
        : ["SABIKA_BREAK_GLASS_DATABASE_URL", "SABIKA_OWNER_DATABASE_URL"],
    );
    const { database } = await this.#connection;
    try {
      await verifyControl(database);
    } catch (error) {
      if (error instanceof CellError) throw new RefusedError("not_control", error.message);
      if (error instanceof SchemaError) throw new RefusedError("schema_version", error.message);
      throw error;
    }
    return database;
  }

  /** Connects by the first of the variables that is there, else by `SABIKA_DATABASE_URL`. */
  async #connect(preferred: readonly UrlName[]): Promise<Connection> {
    const { flags, surroundings: { env }, dataFolder } = this;
    const named = async () => {
      for (const name of [...preferred, "SABIKA_DATABASE_URL"] as const) {
        const url = await readNamedUrl(env, name);
        if (url !== undefined) return url;
      }
      return undefined;
    };
    // A data folder given as a flag wins over a URL from the environment.
    const databaseUrl = flags.databaseUrl ??
      (flags.data === undefined ? await named() : undefined);
    const isSandbox = wantedEnvironment(this) === "sandbox";
    return await openConnection({ databaseUrl, dataFolder, isSandbox });
  }

  /** The master keys as text, and where they came from. */
  masterKeyText(): Promise<MasterKeyText> {
    const { flags, dataFolder, surroundings: { env } } = this;
    return readMasterKeyText({ file: flags.masterKeyFile, dataFolder, env });
  }

  /** The keys that seal; opens no database. */
  async keys(environment: Environment): Promise<KeyService> {
    const { now, random } = this.surroundings;
    const kms = this.keyService(environment);
    const masterKeys = await readMasterKeysOf(this, environment, kms !== undefined);
    return openKeys({ kms, masterKeys, now, random });
  }

  /** The environment of the database; for a new database it must be given. */
  async environment(): Promise<Environment> {
    const found = await readEnvironment(await this.database());
    this.#refuseOther(found);
    const environment = found ?? wantedEnvironment(this);
    if (environment !== undefined) return environment;
    throw new UsageError(
      "this database is new: say which environment it is for, with --environment sandbox or production",
    );
  }

  #refuseOther(found: Environment | undefined): void {
    const named = wantedEnvironment(this);
    if (named === undefined || found === undefined || named === found) return;
    throw new RefusedError(
      "environment_mismatch",
      `this database belongs to ${found}, not to ${named}`,
    );
  }

  /** The context of acts that change partners; the issuing key is opened when it signs. */
  adminContext(): Promise<PartnerAdminContext> {
    return this.#open(openDeployment);
  }

  /** As `adminContext`, but without the authorities: for acts that make or replace them. */
  secretsContext(): Promise<Omit<PartnerAdminContext, "authorities">> {
    return this.#open(async (options) => ({
      environment: options.environment,
      secrets: await beginDeployment(options),
    }));
  }

  async #open<OPENED extends Pick<PartnerAdminContext, "environment" | "secrets">>(
    open: (options: Parameters<typeof openDeployment>[0]) => Promise<OPENED>,
  ) {
    const database = await this.database();
    const environment = await this.environment();
    const { now, random, resolve, env } = this.surroundings;
    const keys = await this.keys(environment);
    await requirePrivateFiles(
      environment,
      [env["SABIKA_DATABASE_URL_FILE"]],
      this.surroundings.stderr,
    );
    try {
      const opened = await open({
        database,
        keys,
        environment,
        nowMs: now(),
        random,
        // A sandbox's first act makes its authorities; production's are certified by hand.
        root: environment === "sandbox" ? rootFile(join(this.dataFolder, "root.key")) : undefined,
      });
      return {
        ...opened,
        database,
        baseUrl: await findBaseUrl(this, () => Promise.resolve(environment === "sandbox")),
        actor: this.actor,
        cells: this.cells,
        endpoints: { allowLoopback: environment === "sandbox", resolve },
        now,
        random,
      };
    } catch (error) {
      if (error instanceof DeploymentError || /master key/.test((error as Error).message)) {
        throw new RefusedError("deployment", (error as Error).message);
      }
      throw error;
    }
  }

  /** The key service that the environment variables name; undefined for a file of master keys. */
  keyService(environment: Environment): KmsSettings | undefined {
    try {
      return readKmsSettings(this.surroundings.env, environment);
    } catch (error) {
      throw new RefusedError("key_service", (error as Error).message);
    }
  }

  /** The context of acts about people: the database, and no key of the deployment. */
  async peopleContext(): Promise<AdminContext> {
    const { now, random } = this.surroundings;
    const [database, environment] = [await this.database(), await this.environment()];
    return { database, environment, actor: this.actor, now, random };
  }

  async describe(name: ActName, input: ActArguments, keyId: string): Promise<ActArguments> {
    const { database: { sql }, environment, now, random } = await this.peopleContext();
    const signer = await findSigner(sql, { keyId });
    if (signer === undefined || argumentsOfAct(name) === undefined) return input;
    const { operatorId } = signer;
    const signing = { id: uuidV7(now(), random), operatorId };
    const place = { sql, cells: this.cells, now, environment };
    return must(await describeArguments(place, name, input, signing)).input;
  }

  async perform(asked: AskedAct, needing: string): Promise<AdminOutcome<Performed<unknown>>> {
    const admin = /^(?:operator|policy|approval)\./.test(needing)
      ? await this.peopleContext() as PartnerAdminContext
      : await this.adminContext();
    try {
      return await performAct(admin, asked);
    } catch (error) {
      throw error instanceof UnbookedError ? new LaterError(error.message) : error;
    }
  }

  /** Carries out an act that needs something only this command has, such as a file of keys. */
  async actWith<CONTEXT extends AdminContext, T>(
    admin: CONTEXT,
    [name, input]: readonly [name: ActName, input: ActArguments],
    run: (admin: CONTEXT) => Promise<AdminOutcome<T>>,
  ): Promise<T> {
    const asked = await this.#ask(admin.environment, name, input);
    const done = must(await performWith(admin, asked, run));
    reportBrokenGlass(this);
    return done;
  }

  /** The context of a migration; throws a `RefusedError` when the actor may not migrate. */
  async migrationContext(database: Database, input: ActArguments) {
    const { actor, surroundings: { now, random } } = this;
    const authorised = must(
      await authoriseMigration(
        { database, actor, now, random },
        (environment) => this.#ask(environment, "schema.migrate", input),
      ),
    );
    reportBrokenGlass(this);
    return authorised;
  }

  #ask(environment: Environment, name: ActName, input: object): Promise<AskedAct> {
    const { flags, surroundings } = this;
    return askAct({ flags, surroundings, environment }, name, input as ActArguments);
  }

  async close(): Promise<void> {
    await this.cells.close();
    // A connection that failed to open needs no closing; its error was thrown where it was awaited.
    await (await this.#connection?.catch(() => undefined))?.close();
  }
}
