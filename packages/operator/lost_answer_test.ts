import { after, beforeEach, test } from "node:test";
import { createServer, request as sendRequest } from "node:http";
import { assertEquals, assertMatch } from "@std/assert";
import { performAct } from "@sabika/office/acts";
import { admitPartner } from "@sabika/office/partners";
import { listen } from "../../test/support/listen.ts";
import { envAtOffice, runOperator } from "../../test/support/run_operator.ts";
import { serveOffice } from "../../test/support/served_office.ts";
import { temporaryFolder } from "../../test/support/temporary_folder.ts";
import { anAdmission, openTestAdmin } from "../../test/support/test_admin.ts";
import { addPerson } from "../../test/support/test_people.ts";

/** What becomes of a request for an act on its way: its answer is lost, or is a proxy's; or it never arrives. */
type Way = "lost answer" | "proxy's answer" | "never arrives";

/** What happens to the next acts; those after them are answered. */
let ways: Way[] = [];
/** Whether the office is cut off for good after the first act. */
let isCutOff = false;
let acts = 0;

const proxy = createServer((request, response) => {
  const isAct = request.method === "POST" && request.url === "/admin/v1/acts";
  if (isAct) acts += 1;
  const way = isAct ? ways.shift() : undefined;
  if (way === "never arrives" || (isCutOff && acts > 1)) {
    request.socket.destroy();
    return;
  }
  const { method, url, headers } = request;
  const onward = sendRequest({ port: office.port, method, path: url, headers }, (answer) => {
    if (way === "lost answer") request.socket.destroy();
    if (way === "proxy's answer") response.writeHead(502).end("<h1>Bad gateway</h1>");
    if (way !== undefined) return void answer.resume();
    response.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(response);
  });
  request.pipe(onward);
});
const origin = `http://localhost:${await listen(proxy)}`;

const folder = temporaryFolder();
const admin = await openTestAdmin();
const office = await serveOffice(admin, admin.testDatabase, { origin });
const breakGlass = "a test";
const amal = await addPerson(admin, "amal", ["vault", "treasury", "administrator"], { breakGlass });
await addPerson(admin, "badr", ["administrator"], { breakGlass });
const env = await envAtOffice(origin, folder, amal);
await admitPartner(admin, anAdmission("bank-two"));
const bar = { serial: "B-1", refiner: "R", fineness: "999.9", weight_grams: "1000" };
await performAct(admin, { name: "vault.bar.add", arguments: bar, breakGlass });

beforeEach(() => {
  [ways, isCutOff, acts] = [[], false, 0];
});
after(async () => {
  await office.close();
  proxy.close();
  await admin.close();
});

const sabika = (...args: string[]) => runOperator([...args, "--yes"], env);

/** What was allocated so far, in grams. */
async function allocated(): Promise<number> {
  const [row] = await admin.database.sql<{ grams: number }[]>`
    select (allocated_micrograms / 1000000)::integer as grams from vault where pool_id = 'main'`;
  return row!.grams;
}

test("an act whose answer is lost is done once, and the command says that it is done", async () => {
  const before = await allocated();
  // The second time there is not enough gold left for it.
  for (const [way, grams] of [["lost answer", "600"], ["proxy's answer", "1"]] as const) {
    [ways, acts] = [[way], 0];
    const { code, stdout, stderr } = await sabika("vault", "allocate", "bank-two", grams);
    assertEquals([code, stdout, acts], [3, "", 2], stderr);
    assertMatch(stderr, /the act [0-9a-f-]{36} is done.*do not ask again/);
  }
  assertEquals(await allocated() - before, 601);
});

test("an act that never arrived is sent again, and done once", async () => {
  const before = await allocated();
  ways = ["never arrives"];
  const { code, stdout, stderr } = await sabika("vault", "allocate", "bank-two", "1");
  assertEquals([code, acts, await allocated() - before], [0, 2, 1], stderr);
  assertMatch(stdout, /bank-two/);
});

test("an act that waits for a second person is not asked for twice when its answer is lost", async () => {
  ways = ["lost answer"];
  const credit = ["funding", "credit", "bank-two", "250000", "--reference", "FT-1"];
  const { code, stderr } = await sabika(...credit, "--json");
  const { error } = JSON.parse(stderr);
  assertEquals([code, error.code], [3, "answer_lost"]);
  assertMatch(error.message, / is waiting/);
  const [row] = await admin.database.sql`select count(*)::integer from approvals`;
  assertEquals(row, { count: 1 });
});

test("an act of which nothing can be learnt is told as unknown, never as refused", async () => {
  const before = await allocated();
  [ways, isCutOff] = [["lost answer"], true];
  const { code, stderr } = await sabika("vault", "allocate", "bank-two", "2", "--json");
  const { error } = JSON.parse(stderr);
  assertEquals([code, error.code, await allocated() - before], [3, "answer_lost", 2]);
  const [, id] = /`sabika audit outcome ([0-9a-f-]{36})`/.exec(error.message)!;
  assertMatch(error.message, /not known/);

  isCutOff = false;
  const shown = JSON.parse((await sabika("audit", "outcome", id!, "--json")).stdout);
  assertEquals([shown.name, shown.state], ["vault.allocate", "done"]);
  const other = await sabika("audit", "outcome", "01a1f85e-29a6-7440-a1da-ccc3cd98406e");
  assertEquals(other.code, 1);
  assertMatch(other.stderr, /nothing of yours was done/);
});

test("a refusal stays one when the first request was lost on its way", async () => {
  ways = ["never arrives"];
  const { code, stderr } = await sabika("vault", "allocate", "bank-two", "5000");
  assertEquals([code, acts], [1, 2]);
  assertMatch(stderr, /less than 5000/);
});
