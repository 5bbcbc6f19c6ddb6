/** `webhookUrl` as it stands on a command line: `webhook-url`. */
export function kebabOf(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The other way round; what is in camel case already stays so. */
export function camelOf(kebab: string): string {
  return kebab.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
