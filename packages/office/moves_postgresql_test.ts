import { after, test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { beginMove } from "@sabika/service/moving";
import { openMovingPartner } from "../../test/support/moving_partner.ts";
import { random } from "../../test/support/random.ts";
import { until } from "../../test/support/until.ts";
import { readOfficeSettings } from "./settings.ts";
import { startOffice } from "./start_office.ts";

// (D114) The office ends the moves that a mover left half way.

const moving = await openMovingPartner();
after(moving.close);
const { control, sabika } = moving;

test("an office lists a move that nobody carries out, and ends it by itself", async () => {
  const begun = await beginMove({
    database: control.database,
    environment: "sandbox",
    actor: { who: "mover", from: "test" },
    now: Date.now,
    random,
  }, { clientId: "mover", toCell: "b" });
  assertEquals(begun.ok, true);
  await assertRejects(() =>
    moving.carryOut((step) => {
      if (step === "enter") throw new Error("killed");
    })
  );
  assertEquals(await moving.homes(), []);
  const [open] = await sabika<{ step: string; carried_out: boolean }[]>("partner", "moves");
  assertEquals([open!.step, open!.carried_out], ["switched", false]);

  const { SABIKA_DATA: _, ...env } = moving.env;
  const settings = await readOfficeSettings({
    ...env,
    SABIKA_ENVIRONMENT: "sandbox",
    SABIKA_ADMIN_LISTEN: "127.0.0.1:0",
    SABIKA_ADMIN_ORIGIN: "http://localhost:9443",
  });
  const logged: string[] = [];
  const log = (_level: string, event: string) => void logged.push(event);
  const office = await startOffice(settings, { now: Date.now, random, log, fetch });
  await until(async () => (await sabika<unknown[]>("partner", "moves")).length === 0);
  await office.stop();
  assertEquals(logged, ["serving"]);
  assertEquals(await moving.homes(), ["b"]);
  await moving.assertNothingLost();
});
