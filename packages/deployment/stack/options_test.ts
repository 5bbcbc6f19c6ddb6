import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { readStackOptions } from "./options.ts";

test("readStackOptions() has the values of Decision D46 when nothing is said", () => {
  assertEquals(readStackOptions([]), {
    instances: 2,
    partners: 1,
    cells: undefined,
    dataFolder: ".stack",
    port: 8443,
    officePort: undefined,
    environment: "sandbox",
    watch: false,
    firewall: false,
    built: undefined,
    help: false,
  });
});

test("readStackOptions() takes what is said", () => {
  const options = readStackOptions([
    ...["--instances", "3", "--partners", "4", "--data", "x", "--port", "0"],
    ...["--office-port", "9000", "--environment", "production", "--built", ".build"],
  ]);
  const { instances, partners, port, officePort } = options;
  assertEquals([instances, partners, port, officePort], [3, 4, 0, 9000]);
  const spread = readStackOptions(["--cells", "4"]);
  assertEquals([spread.cells, spread.partners], [4, 4]);
  assertEquals([options.dataFolder, options.environment, options.built], [
    "x",
    "production",
    ".build",
  ]);
});

test("readStackOptions() refuses what makes no stack", () => {
  const wrong = [
    ...[["--instances", "0"], ["--instances", "two"], ["--partners", "0"], ["--port", "65536"]],
    ...[["--port", "-1"], ["--data", ""], ["--environment", "test"], ["--nope"], ["word"]],
    ...[["--office-port", "x"], ["--cells", "17"]],
  ];
  for (const args of wrong) assertThrows(() => readStackOptions(args), TypeError);
});
