import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./packages/core/store/schema/mod.ts",
  out: "./packages/core/store/migrations",
});
