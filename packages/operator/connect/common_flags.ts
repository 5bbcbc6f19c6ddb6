import type { Environment } from "@sabika/protocol";

/** The flags that every command has; `COMMON_FLAGS` in `command.ts` describes each. */
export interface CommonFlags {
  data?: string;
  databaseUrl?: string;
  masterKeyFile?: string;
  adminUrl?: string;
  adminAuthority?: string;
  environment?: Environment;
  baseUrl?: string;
  as?: string;
  operatorKey?: string;
  breakGlass?: string;
  json: boolean;
  yes: boolean;
}
