import { goClient } from "./go_client.ts";
import { goErrors, goResources } from "./go_records.ts";
import { javaClient } from "./java_client.ts";
import { javaErrors, javaEvents, javaRecords } from "./java_records.ts";
import { clientModel } from "./model.ts";
import { CLIENTS_PAGE_FILE, clientsPage } from "./clients_page.ts";
import { OPERATIONS_FILE, operationsFile } from "./operations_file.ts";
import { pythonClient } from "./python_client.ts";
import { pythonErrors, pythonResources } from "./python_records.ts";
import { pythonSender } from "./python_sender.ts";

const model = clientModel();
const python = (name: string) =>
  new URL(`../../../clients/python/src/sabika_client/${name}.py`, import.meta.url);
const go = (name: string) => new URL(`../../../clients/go/${name}.go`, import.meta.url);
const java = (name: string) =>
  new URL(`../../../clients/java/src/main/java/sabika/client/${name}.java`, import.meta.url);

/** The generated files of the clients, and what their tests are held to. */
export const CLIENT_FILES: readonly [file: URL, make: () => string][] = [
  [OPERATIONS_FILE, operationsFile],
  [CLIENTS_PAGE_FILE, clientsPage],
  [python("resources"), () => pythonResources(model)],
  [python("error_classes"), () => pythonErrors(model)],
  [python("client"), () => pythonClient(model, false)],
  [python("async_client"), () => pythonClient(model, true)],
  [python("sender"), pythonSender],
  [go("resources"), () => goResources(model)],
  [go("error_codes"), () => goErrors(model)],
  [go("operations"), () => goClient(model)],
  [java("Refused"), () => javaErrors(model)],
  [java("EventObjects"), () => javaEvents(model)],
  ...[...javaRecords(model), ...javaClient(model)]
    .map(([name, text]) => [java(name), () => text] as [URL, () => string]),
];
