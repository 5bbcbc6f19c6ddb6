import { test } from "node:test";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { readFile } from "node:fs/promises";
import {
  type Application,
  type CommandContext,
  generateHelpTextForAllCommands,
} from "@stricli/core";
import { parse } from "yaml";
import { application } from "./application.ts";

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), "utf8");
const page = await read("docs/runbook.md");
const [, ...sections] = page.split(/^## /m);
const anchors = new Map(sections.map((section) => {
  const heading = section.split("\n", 1)[0]!;
  return [heading.toLowerCase().replaceAll(" ", "-"), section] as const;
}));
const commands = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)]
  .flatMap(([, block]) => block!.trim().split("\n"));

test("each alert names its page of the runbook, and the page names the alert", async () => {
  const { groups } = parse(await read("docs/observability/alerts.yaml"));
  const seen = new Set<string>();
  for (const { alert, annotations } of groups.flatMap(({ rules }: { rules: unknown }) => rules)) {
    const [path, anchor] = annotations.runbook_url.split("#");
    assertEquals(path, "docs/runbook.md", alert);
    assert(anchors.get(anchor)?.includes(`\`${alert}\``), `${alert} is not on #${anchor}`);
    seen.add(alert);
  }
  const named = [...page.matchAll(/`((?:Sabika|Envoy|Postgres)[A-Z]\w+)`/g)].map(([, name]) =>
    name!
  );
  assertEquals(named.filter((name) => !seen.has(name)), []);
});

test("each page says what is seen, what it means, what to do, and when it is over", () => {
  assert(anchors.size >= 16);
  for (const [anchor, section] of anchors) {
    const leads = [...section.matchAll(/^\*\*([^*]+)\*\*:/gm)].map(([, lead]) => lead);
    assertEquals(leads, ["You see", "It means", "Do", "It is over when"], anchor);
    assertMatch(section, /^```sh$/m, anchor);
  }
});

test("each command of the runbook is one that exists, with the flags that it has", async () => {
  const helps = new Map(generateHelpTextForAllCommands(
    application as unknown as Application<CommandContext>,
  ));
  const { scripts } = JSON.parse(await read("package.json"));
  const { services } = parse(await read("docker-compose.yml"));
  // Other programs that the machines have for which these pages are written.
  const others = ["psql", "df", "docker", "chronyc", "git"];
  let ours = 0;
  for (const line of commands) {
    const words = line.split(" ");
    if (line.startsWith("npx sabika ")) {
      ours++;
      const route = [...helps.keys()].sort((first, other) => other.length - first.length)
        .find((route) => line.startsWith(`npx ${route}`));
      assert(route !== undefined, line);
      for (const flag of words.filter((word) => word.startsWith("--"))) {
        assert(helps.get(route)!.includes(`[${flag}]`), `${line}: there is no ${flag}`);
      }
    } else if (line.startsWith("npm run ")) assert(scripts[words[2]!] !== undefined, line);
    else {
      assert(others.includes(words[0]!), line);
      if (!line.startsWith("docker compose ")) continue;
      const named = words.filter((word) => /^(?:server|postg|keep|side|prom|graf)/.test(word));
      for (const word of named) {
        const name = word.replace(/=\d+$/, "");
        assert(services[name] !== undefined, `${line}: there is no service ${name}`);
      }
    }
  }
  assert(ours >= 30, `${ours}`);
});
