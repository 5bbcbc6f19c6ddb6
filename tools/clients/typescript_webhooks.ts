import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { ROOT } from "../rules/repository_files.ts";
import { type Check, installBeside, runCommandOf } from "./subject.ts";

/** The web servers, at pinned versions. */
const SERVERS = ["express@5.3.0", "fastify@5.12.8"];
const PAGE = join(ROOT, "docs", "webhooks.md");

/** Makes the check of the receivers that docs/webhooks.md has for Express and Fastify. */
export function webhookCheck(project: string): Check {
  return {
    name: "Express and Fastify receive webhooks as the page says",
    async run() {
      const page = await readFile(PAGE, "utf8");
      const [, receive, ofExpress, ofFastify] =
        /```js\n(.+?)\/\/ Express\n(.+?)\/\/ Fastify\n(.+?)```/s.exec(page)!;
      await installBeside(project, SERVERS);
      await writeFile(
        join(project, "receivers.mjs"),
        `${SURROUNDINGS}
${receive}
await show("express", express(), async (app) => {
  ${ofExpress}
  return await new Promise((resolve) => {
    const server = app.listen(0, "127.0.0.1", () => resolve(server));
  });
});
await show("fastify", fastify(), async (app) => {
  ${ofFastify}
  await app.listen({ port: 0, host: "127.0.0.1" });
  return app.server;
});
`,
      );
      const run = { command: process.execPath, args: ["receivers.mjs"], cwd: project };
      const { ok, output } = await runCommandOf(run);
      return { ok: ok && output === "express 204 204 401 1\nfastify 204 204 401 1\n", output };
    },
  };
}

/** Sends a webhook, the same again, and one with another body; shows the answers and how often it was handled. */
const SURROUNDINGS = `import { createWebhookReceiver } from "@sabika/client";
import { signWebhook } from "@sabika/client/protocol";
${
  SERVERS.map((spec) => spec.split("@")[0]).map((name) => `import ${name} from "${name}";`).join(
    "\n",
  )
}

const secret = "whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0";
let handled = 0;
const handle = () => void handled++;

async function show(name, app, listen) {
  handled = 0;
  const server = await listen(app);
  const id = "evt_" + crypto.randomUUID();
  const now = new Date();
  const body = JSON.stringify({
    id, type: "ping", api_version: "v1", environment: "sandbox", sequence: 1, timestamp: now, data: { object: {} },
  });
  const timestampSeconds = Math.floor(now / 1000);
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": await signWebhook({ secrets: [secret], id, timestampSeconds, body }),
  };
  const statuses = [];
  for (const sent of [body, body, body + " "]) {
    const url = "http://127.0.0.1:" + server.address().port + "/webhooks";
    statuses.push((await fetch(url, { method: "POST", headers, body: sent })).status);
  }
  console.log(name, ...statuses, handled);
  server.closeAllConnections();
  server.close();
}`;
