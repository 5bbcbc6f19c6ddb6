import { after, test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { openMovingPartner } from "../support/moving_partner.ts";
import { sized } from "../support/sized.ts";

// (D53) A partner is moved to and fro under load; with --long two hundred times.

const MOVES = sized(4, 200);
const moving = await openMovingPartner();
after(moving.close);

test(`a partner that is moved ${MOVES} times in a row under load loses and doubles nothing`, async (t) => {
  const fenced: number[] = [];
  await moving.whileTrading(8, async () => {
    for (let n = 0; n < MOVES; n++) {
      const to = n % 2 === 0 ? "b" : "main";
      const moved = await moving.sabika("partner", "move", "mover", "--to", to, "--yes");
      fenced.push(Number(moved["fenced_ms"]));
    }
  });
  assert(moving.answered.length > MOVES);
  assertEquals(moving.refused.filter((code) => code !== "service_unavailable"), []);
  await moving.assertNothingLost();
  fenced.sort((a, b) => a - b);
  t.diagnostic(
    `${moving.answered.length} orders, ${moving.refused.length} refused; fence ` +
      `${fenced[fenced.length >> 1]} ms, at most ${fenced.at(-1)}; slowest order ` +
      `${Math.round(moving.slowestMs())} ms`,
  );
});
