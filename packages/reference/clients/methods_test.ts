import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { OPERATION_LIST } from "../operations.ts";
import { METHODS, WITHOUT_METHOD } from "./methods.ts";

test("every operation has a method, or a reason to have none", () => {
  const called = new Set(METHODS.map(({ operation }) => operation));
  for (const [id] of OPERATION_LIST) {
    assertEquals(WITHOUT_METHOD[id] === undefined, called.has(id), id);
  }
});
