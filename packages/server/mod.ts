/** The HTTP face of Sabika. */
export { createService, type Service, type ServiceSurroundings } from "./service.ts";
export { readSettings, type ServiceSettings, SettingsError } from "./settings.ts";
export { type Opened, openParts } from "./opened.ts";
export type { Address } from "./listeners/address.ts";
export type { SidecarListen } from "./listeners/listen_sidecar.ts";
export type { TlsListen } from "./listeners/listen_tls.ts";
export { configureLogging, type GatheredLog } from "./logging/configure_logging.ts";
export { type Log, type LogFields, type LogLevel, silentLog } from "./logging/log.ts";
