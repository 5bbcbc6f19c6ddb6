import { FEED_DEFAULTS, setPriceOrigin } from "@sabika/service/prices";
import { migrate, readSchemaRelease } from "@sabika/service/schema";
import { nextRelease } from "../../support/schema_releases.ts";
import { placesOf } from "../places.ts";
import type { Mood } from "../receiver.ts";
import type { Fault } from "./fault.ts";

/** A price feed at whose address nothing listens. */
const DEAD_FEED = "https://127.0.0.1:9/price";

function receiversAre(mood: Mood): Fault {
  return async ({ receiver }) => {
    receiver.setMood(mood);
    return async () => receiver.setMood("well");
  };
}

function full(which: readonly ("data" | "logs")[]): Fault {
  return async ({ disks }) => {
    await Promise.all(which.map((name) => disks?.[name]?.fill()));
    return () => Promise.all(which.map((name) => disks?.[name]?.empty()));
  };
}

/** Faults of the service's surroundings, and an operator's acts while it serves. */
export const SURROUNDING_FAULTS: Readonly<Record<string, Fault>> = {
  "full disk of data": full(["data"]),
  "full disk of logs": full(["logs"]),
  "full disks": full(["data", "logs"]),
  async "dead price feed"({ admin }) {
    const feed = { ...FEED_DEFAULTS, url: DEAD_FEED, path: "$.price" };
    await setPriceOrigin(admin, { source: "feed", feed });
    return async () =>
      void await setPriceOrigin(admin, { source: "fixed", midTenThousandths: 4_000_000n });
  },
  "dead receivers": receiversAre("dead"),
  "slow receivers": receiversAre("slow"),
  "refusing receivers": receiversAre("refusing"),
  async "rolling restart"({ stack, relink }) {
    await stack.rollingRestart();
    await relink();
  },
  async "rotation of the edge secret"({ stack }) {
    await stack.rotateEdgeSecret();
  },
  async "migration"(world) {
    const ours = await readSchemaRelease();
    const { control } = world;
    const [row] = await control.database.sql<{ version: number }[]>`
      select max(version) as version from schema_versions`;
    const { version } = row!;
    const statements = `alter table quotes add column next_${version} text`;
    // A later release beside which this release's servers may run, as during an upgrade.
    const release = nextRelease({ ...ours, version }, {
      servesFrom: ours.version,
      migrations: [...ours.migrations, { name: `9000_next_${version}`, statements }],
    });
    for (const { database } of placesOf(world)) await migrate(database, { release });
  },
};
