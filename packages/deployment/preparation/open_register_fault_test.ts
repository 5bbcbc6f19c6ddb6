import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writePrivateFile } from "@sabika/identity/keys";
import { openKeys } from "@sabika/identity/secrets";
import { openDeployment } from "@sabika/service/deployment";
import { currentSet } from "@sabika/sidecar";
import { makeDeploymentKeys, startMoto, whyNoMoto } from "../../../test/support/moto.ts";
import { random } from "../../../test/support/random.ts";
import { temporaryFolder } from "../../../test/support/temporary_folder.ts";
import { rootInMemory } from "../../../test/support/test_admin.ts";
import { openTestDatabase } from "../../../test/support/test_database.ts";
import { CONTAINER_PLAN } from "../containers/container_plan.ts";
import { placeFiles } from "../places.ts";
import { newSecret } from "./deployment_secrets.ts";
import { openRegister } from "./open_register.ts";

const skip = await whyNoMoto();

test("what a key service sealed is opened by it for the sidecar, without master keys (D73)", {
  skip,
}, async (t) => {
  const moto = await startMoto();
  const test = await openTestDatabase();
  t.after(async () => {
    await test.close();
    await moto.stop();
  });
  await makeDeploymentKeys(moto);
  const folder = temporaryFolder();
  const own = Object.fromEntries(
    Object.keys(CONTAINER_PLAN.places).map((name) => [name, join(folder, name)]),
  );
  const places = { ...CONTAINER_PLAN.places, ...own };
  await Promise.all(Object.values(own).map((path) => mkdir(path)));
  const files = placeFiles(places);
  await writePrivateFile(files.edgeSecrets, newSecret(random));
  await writePrivateFile(files.databaseUrl, test.urlAs("sabika_operator"));
  const { authorities } = await openDeployment({
    database: test.database,
    keys: openKeys({ kms: moto.settings, masterKeys: undefined, now: Date.now, random }),
    environment: "sandbox",
    nowMs: Date.now(),
    random,
    root: rootInMemory(),
  });

  const surroundings = { now: Date.now, random };
  const { database } = await openRegister({ ...CONTAINER_PLAN, places }, surroundings, moto.env);
  await database.close();
  const { partnerCa } = await currentSet(places.sidecar);
  assertEquals(partnerCa, authorities.clientCaPem);
});
