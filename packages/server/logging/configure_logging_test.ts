import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { configureLogging } from "./configure_logging.ts";

test("configureLogging() buffers lines and writes them together", async () => {
  const written: string[] = [];
  const { log, flush } = await configureLogging((text) => written.push(text));
  log("info", "serving", { base_url: "https://sabika.test" });
  log("warning", "clock_off");
  log("debug", "not_logged");
  assertEquals(written, []);
  flush();
  const lines = written.join("").trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(written.length, 1);
  assertEquals(lines.map(({ level, event, base_url }) => [level, event, base_url]), [
    ["info", "serving", "https://sabika.test"],
    ["warning", "clock_off", undefined],
  ]);
  flush();
  assertEquals(written.length, 1);
});

test("configureLogging() neither delays lines for long nor buffers too many", async () => {
  let tellWritten: (text: string) => void = () => {};
  const written = new Promise<string>((resolve) => tellWritten = resolve);
  const { log } = await configureLogging((text) => tellWritten(text));
  log("info", "serving");
  assertEquals(JSON.parse(await written).event, "serving");
  let pieces = 0;
  const busy = await configureLogging(() => pieces++);
  for (let n = 0; n < 1_000; n++) busy.log("info", "request", { request_id: "x".repeat(36) });
  assertEquals(pieces >= 2 && pieces < 50, true);
  busy.flush();
});
