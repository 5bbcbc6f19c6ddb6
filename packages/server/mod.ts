/** The HTTP face of Sabika. */
export { type App, type AppParts, createApp } from "./app.ts";
export { createService, type Service, type ServiceSurroundings } from "./service.ts";
export { type ServiceSettings, SettingsError } from "./settings.ts";
export { readSettings } from "./settings.ts";
export type { Address, SidecarListen } from "./listeners/listen_sidecar.ts";
export type { TlsListen } from "./listeners/listen_tls.ts";
export { configureLogging, type GatheredLog } from "./logging/configure_logging.ts";
export { type Log, type LogFields, type LogLevel, silentLog } from "./logging/log.ts";
export { createMetrics, type Metrics } from "./watching/metrics.ts";
