/** Turns a name into its form on the command line: `webhookUrl` becomes `webhook-url`. */
export function kebabOf(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Turns `webhook-url` into `webhookUrl`; a name already in camel case stays as it is. */
export function camelOf(kebab: string): string {
  return kebab.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
