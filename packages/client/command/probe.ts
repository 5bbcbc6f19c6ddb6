import { parseArgs } from "node:util";
import { createClient } from "../client.ts";
import { SabikaError } from "../sabika_error.ts";
import { KIT_OPTION, openKitOf } from "./files.ts";
import { bad, type Command, good, row } from "./io.ts";

/** `sabika-client probe` */
export const probe: Command = {
  summary: "try the connection, the token and a signature; nothing is moved",
  help: `Tries a kit from the connection to a signature. Nothing is moved.

  sabika-client probe [--kit FOLDER]

  --kit FOLDER  the partner kit; by default of SABIKA_KIT…, else this folder

When a step fails, the last line says what is wrong and what to do.`,
  async run(args, io) {
    const { values } = parseArgs({ args, options: KIT_OPTION });
    const kit = await openKitOf(values.kit, io);
    io.print(row("kit", `${good(io, "ok")} ${kit.clientId}, ${kit.environment}, ${kit.baseUrl}`));
    const signal = io.interrupted;
    const client = createClient(kit, { retry: { attempts: 2 } });
    try {
      const health = await client.health({ signal });
      const isWell = health.status === "ok";
      io.print(row("connection", (isWell ? good : bad)(io, health.status)));
      const { name, status } = await client.me({ signal });
      io.print(row("token", `${good(io, "ok")} ${name}, ${status}`));
      const probed = await client.probe("{}", { signal });
      const off = probed.skewSeconds === 0 ? "" : `, clock ${probed.skewSeconds} s off`;
      io.print(row("signature", `${good(io, "ok")} key ${probed.keyId}${off}`));
      return isWell ? 0 : 1;
    } catch (error) {
      if (error instanceof SabikaError && error.diagnosis !== undefined) {
        io.printError(row("signature", bad(io, error.diagnosis.message)));
      }
      throw error;
    } finally {
      await client.close();
    }
  },
};
