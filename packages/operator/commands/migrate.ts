import type { Migration } from "@sabika/service/schema";
import { confirm } from "../command/ask.ts";
import { command, type Shown, switchFlag } from "../command/command.ts";
import { RefusedError } from "../outcome.ts";
import type { Session } from "../connect/session.ts";

/** `sabika migrate` */
export const migrate = command<{ dryRun: boolean }, []>({
  brief: "Bring the database's schema to this release; nothing else does",
  more:
    "Says what it will do and, at a terminal, asks. Each migration is a transaction of its own;\n" +
    "after a failure, run it again. Versions only go forwards: first the database, then the\n" +
    "servers one after another, which may go back to the release before (docs/operator.md).",
  examples: [
    "migrate --dry-run",
    "migrate --database-url postgres://…/sabika --environment production",
  ],
  flags: { dryRun: switchFlag("Only say what would be done") },
  async run(session, { dryRun }) {
    try {
      return await run(session, dryRun);
    } catch (error) {
      const { SchemaError } = await import("@sabika/service/schema");
      if (error instanceof SchemaError) throw new RefusedError("schema_version", error.message);
      if ((error as { code?: string }).code === "42501") {
        throw new RefusedError(
          "not_the_owner",
          "this database role may not migrate: give the owner's URL in SABIKA_OWNER_DATABASE_URL " +
            "or a file that SABIKA_OWNER_DATABASE_URL_FILE names",
        );
      }
      throw error;
    }
  },
});

async function run(session: Session, dryRun: boolean): Promise<Shown> {
  const { planMigration, readSchemaRelease } = await import("@sabika/service/schema");
  const { migrateDatabase } = await import("@sabika/office/people");
  const here = await session.atDatabase();
  const database = await here.unverifiedDatabase();
  const ours = await readSchemaRelease();
  const plan = await planMigration(database);
  if (plan.from.version > ours.version) {
    throw new RefusedError(
      "schema_version",
      `the database has schema version ${plan.from.version}, this release only ${ours.version}: ` +
        `versions do not go back; older programs that it still serves (from version ` +
        `${plan.to.servesFrom}) work on it as it is`,
    );
  }
  if (dryRun || plan.steps.length === 0) return shown(plan, false);
  if (session.mayAsk) session.surroundings.stdout.write(describe(plan));
  await confirm(session, `Migrate to version ${plan.to.version}?`);
  const admin = await here.migrationContext(database, { to_version: plan.to.version });
  const done = await migrateDatabase(admin);
  return shown(done, done.steps.length > 0);
}

function shown(migration: Migration, migrated: boolean): Shown {
  const { from, to, steps } = migration;
  return {
    json: {
      migrated,
      from: { version: from.version, functions: from.functionsHash },
      to: { version: to.version, functions: to.functionsHash, serves_from: to.servesFrom },
      steps,
    },
    text: `${describe(migration)}${
      steps.length === 0 ? "" : migrated ? "migrated\n" : "nothing was done (--dry-run)\n"
    }`,
  };
}

function describe({ from, to, steps }: Migration): string {
  if (steps.length === 0) return `the database has schema version ${to.version}: nothing to do\n`;
  const functions = `functions ${from.functionsHash ?? "none"} → ${to.functionsHash}`;
  return [
    `schema version ${from.version} → ${to.version}, for programs from version ${to.servesFrom}`,
    ...steps.map((step) => `  ${step === "functions" ? functions : step}`),
    "",
  ].join("\n");
}
