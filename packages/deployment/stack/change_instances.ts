import { DELIVERY } from "../services.ts";
import type { Front } from "./front.ts";
import type { Instances } from "./instances.ts";

/** Returns the changes of a serving stack's instances; all but `killInstance` fail no request. */
export function changesOf(instances: Instances, front: Front, delivery: Instances) {
  const addInstance = async () => {
    const running = instances.running().map(({ name }) => name);
    const name = `server-${nextNumber([...running, ...front.listed()])}`;
    await instances.start(name);
    await front.list([...front.listed(), name]);
  };
  const removeInstance = async (name: string) => {
    // Taken off the list first, so that no new request comes while it drains.
    await front.list(front.listed().filter((listed) => listed !== name));
    await instances.stop(name);
  };
  return {
    async rollingRestart() {
      await delivery.stop(DELIVERY);
      await delivery.startUntilReady(DELIVERY);
      for (const name of front.listed()) {
        const names = front.listed();
        if (names.length === 1) {
          // The only instance stays until another serves.
          await addInstance();
          await removeInstance(name);
        } else {
          await removeInstance(name);
          // The others stay until it is back, however long its database is away.
          await instances.startUntilReady(name);
          await front.list(names);
        }
      }
    },
    killInstance: (name: string) => instances.kill(name),
    async startInstance(name: string) {
      await instances.start(name);
      const names = front.listed();
      await front.list(names.includes(name) ? names : [...names, name]);
    },
  };
}

function nextNumber(names: readonly string[]): number {
  return 1 + Math.max(0, ...names.map((name) => Number(name.slice("server-".length))));
}
