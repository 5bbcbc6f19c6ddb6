import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { readCommand, UsageError } from "./command_line.ts";
import { commandLine } from "../../tools/programs/command_line.ts";

test("readCommand() reads a command with its files and rules", () => {
  const command = readCommand(commandLine`rotate --settings s.yaml --partner-crl a.crl
    --edge-secret e --certificate-days 10`);
  assertEquals([command.name, command.settingsFile, command.print], ["rotate", "s.yaml", false]);
  assertEquals(command.files, { partnerCrl: "a.crl", edgeSecret: "e" });
  assertEquals([command.certificateDays, command.crlHours], [10, 1]);
});

test("readCommand() refuses unknown commands and options", () => {
  const wrongCommands = ["dance", "render check", "render --nope", "rotate --crl-hours x"];
  for (const args of wrongCommands) assertThrows(() => readCommand(args.split(" ")), UsageError);
});
