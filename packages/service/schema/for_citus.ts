/** Matches the definition of `known_key`: the text before its body, and its body. */
const DEFINITION =
  /(CREATE OR REPLACE FUNCTION known_key\([^]*?)LANGUAGE sql STABLE AS \$\$\n([^]*?)\n\$\$;/;
const ARGUMENT = /(?:[^(),]|\([^()]*\))+/.source;
const CALL = new RegExp(`known_key\\((${ARGUMENT}), (${ARGUMENT})\\)`, "g");

/**
 * Adapts a release's functions for a database that has Citus (Decision D53). Citus plans statements before
 * PostgreSQL inlines SQL functions, and cannot plan functions that read tables. So the look-up of a key
 * is inlined here, and the function itself is written in PL/pgSQL. Citus also makes no generic plans.
 *
 * @param functions as they are in a release
 * @throws TypeError when they have no such `known_key`
 */
export function forCitus(functions: string): string {
  const found = DEFINITION.exec(functions);
  if (found === null) throw new TypeError("the release has no function known_key");
  const [definition, head, query] = found as unknown as [string, string, string];
  const inPlace = (text: string) =>
    text.replace(
      CALL,
      (_call, partner: string, hash: string) =>
        `(${query.replaceAll("p_partner_id", partner).replaceAll("p_key_hash", hash)})`,
    );
  const ownForm = `${head}LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY ${query};
END $$;`;
  return functions.split(definition).map(inPlace).join(ownForm)
    .replaceAll("SET plan_cache_mode = force_generic_plan\n", "");
}
