/** The HTTP service of Sabika. */
export { createService, type Service, type ServiceSurroundings } from "./service.ts";
export { readSettings, type ServiceSettings } from "./settings.ts";
export { readSharedSettings, type SharedSettings } from "./shared_settings.ts";
export { runProcess } from "./run_process.ts";
export { readListQuery } from "./routes/list_query.ts";
export { refusalOfError } from "./database_errors.ts";
export { type Opened, openParts } from "./opened.ts";
export { type Job, jobFailed, startJobs } from "./jobs.ts";
export { listenOn } from "./listeners/address.ts";
export { closeServer, HTTP_SERVER_OPTIONS, noteConnections } from "./listeners/http_server.ts";
export type { SidecarListen } from "./listeners/listen_sidecar.ts";
export type { TlsListen } from "./listeners/listen_tls.ts";
export { configureLogging, type GatheredLog } from "./logging/configure_logging.ts";
export {
  describeError,
  type Log,
  type LogFields,
  type LogLevel,
  silentLog,
} from "./logging/log.ts";
