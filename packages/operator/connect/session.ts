import type { Database } from "@sabika/database";
import type { ActArguments } from "@sabika/identity/signatures";
import type { ArgumentsOf, CarriedName, Decided, ResultOf } from "@sabika/office/acts";
import type { Actor, AdminContext } from "@sabika/service/audit";
import type { ActName, AdminOutcome } from "@sabika/terms";
import { asDossier, type Dossier, splitArguments } from "@sabika/office/dossier";
import type { Environment } from "@sabika/protocol";
import type { Surroundings } from "../context.ts";
import { must, UsageError, WaitingError } from "../outcome.ts";
import { askAct, reportBrokenGlass } from "./ask_act.ts";
import type { AtDatabase } from "./at_database.ts";
import type { CommonFlags } from "./common_flags.ts";
import { dossierLines } from "./dossier_lines.ts";
import type { Engine } from "./engine.ts";
import { findBaseUrl } from "./find_base_url.ts";
import { findOffice, type Office } from "./office.ts";
import { wantedEnvironment } from "./wanted_environment.ts";

/**
 * One run of a command: speaks to the office that is named, else to the database, which is opened on
 * first use and closed at the end.
 */
export class Session {
  readonly flags: CommonFlags;
  readonly surroundings: Surroundings;
  readonly dataFolder: string;
  readonly actor: Actor;
  /** The office that was named; undefined where the command works at the database. */
  readonly office: Office | undefined;
  #atDatabase: Promise<AtDatabase> | undefined;

  constructor(flags: CommonFlags, surroundings: Surroundings) {
    const { env, user } = surroundings;
    this.flags = flags;
    this.surroundings = surroundings;
    this.dataFolder = flags.data ?? env["SABIKA_DATA"] ?? ".sabika";
    const who = flags.as ?? env["SABIKA_OPERATOR"] ?? user.who;
    // Whoever acts for somebody else is named too.
    this.actor = { who, from: who === user.who ? user.from : `${user.who} on ${user.from}` };
    this.office = findOffice(flags, surroundings);
  }

  /** Whether questions may be asked. */
  get mayAsk(): boolean {
    return this.surroundings.isTerminal && !this.flags.yes && !this.flags.json;
  }

  get nowMs(): number {
    return this.surroundings.now();
  }

  /**
   * The command's work at the database itself, which is opened on first use.
   *
   * @throws UsageError when the command speaks to the office
   */
  async atDatabase(): Promise<AtDatabase> {
    if (this.office !== undefined) {
      throw new UsageError(
        "the office does not offer that: it is done at the database, with --database-url or --data",
      );
    }
    // Loaded on demand: a command that speaks to the office needs no database code.
    return await (this.#atDatabase ??= import("./at_database.ts")
      .then(({ AtDatabase }) => new AtDatabase(this)));
  }

  /** Control's database, once verified to have this release's schema; opens no secret. */
  async database(): Promise<Database> {
    return await (await this.atDatabase()).database();
  }

  /** The environment of the database; for a new database it must be given. */
  async environment(): Promise<Environment> {
    return await (await this.atDatabase()).environment();
  }

  /** The environment that was named; throws a `UsageError` without one. Opens no database. */
  namedEnvironment(): Environment {
    const environment = wantedEnvironment(this);
    if (environment !== undefined) return environment;
    throw new UsageError("say which environment it is for: --environment sandbox or production");
  }

  /** The context of acts that change partners; the issuing key is opened when it signs. */
  async adminContext() {
    return await (await this.atDatabase()).adminContext();
  }

  /**
   * Carries out an act in the name of the person who runs the command.
   *
   * @param attachment what the arguments have only the hash of
   * @returns the act's result
   * @throws RefusedError when it is refused
   */
  async act<N extends CarriedName>(
    name: N,
    input: ArgumentsOf<N>,
    attachment?: string,
  ): Promise<ResultOf<N>> {
    return await this.#perform(name, input, name, { attachment }) as ResultOf<N>;
  }

  /**
   * Approves or rejects somebody's request.
   *
   * @param requested the act that they requested
   * @param confirm asks, once the dossier has been shown and before it is signed
   * @returns the request's state after the decision
   */
  async decide(
    name: ActName,
    input: ActArguments,
    requested: string,
    confirm?: () => Promise<void>,
  ): Promise<Decided> {
    const needing = name === "approval.reject" ? name : requested;
    return await this.#perform(name, input, needing, { confirm }) as Decided;
  }

  /** @param needing the act that decides which keys and databases are opened */
  async #perform(
    name: ActName,
    input: object,
    needing: string,
    { attachment, confirm }: {
      attachment?: string | undefined;
      confirm?: (() => Promise<void>) | undefined;
    } = {},
  ): Promise<unknown> {
    const engine: Engine = this.office ?? await this.atDatabase();
    const environment = this.office === undefined
      ? await this.environment()
      : this.namedEnvironment();
    const describe = async (...act: Parameters<Engine["describe"]>) => {
      const described = await engine.describe(...act);
      this.#show(asDossier(splitArguments(described).dossier) ?? []);
      await confirm?.();
      return described;
    };
    const asked = await askAct({ ...this, environment, describe }, name, input as ActArguments);
    const performed = must(await engine.perform({ ...asked, attachment }, needing));
    reportBrokenGlass(this);
    if ("done" in performed) return performed.done;
    throw new WaitingError(performed);
  }

  /** Shows the dossier of what is about to be signed, at a terminal. */
  #show(dossier: Dossier): void {
    if (!this.mayAsk) return;
    for (const [label, value] of dossierLines(dossier)) {
      this.surroundings.stderr.write(`${label}: ${value}\n`);
    }
  }

  /** Carries out an act that needs something only this command has, such as a file of keys. */
  async actWith<CONTEXT extends AdminContext, T>(
    admin: CONTEXT,
    act: readonly [name: ActName, input: ActArguments],
    run: (admin: CONTEXT) => Promise<AdminOutcome<T>>,
  ): Promise<T> {
    return await (await this.atDatabase()).actWith(admin, act, run);
  }

  /** The address that partners call, for their kits; throws a `UsageError` if it is unknown. */
  async baseUrl(): Promise<string> {
    const found = await findBaseUrl(
      this,
      async () =>
        this.office === undefined
          ? await this.environment() === "sandbox"
          : wantedEnvironment(this) === "sandbox",
    );
    if (found !== undefined) return found;
    throw new UsageError("say which address partners call: --base-url https://…");
  }

  async close(): Promise<void> {
    await (await this.#atDatabase)?.close();
  }
}
