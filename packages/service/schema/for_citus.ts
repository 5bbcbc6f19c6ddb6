/** The definition of `known_key`: what stands before its body, and its body. */
const DEFINITION =
  /(CREATE OR REPLACE FUNCTION known_key\([^]*?)LANGUAGE sql STABLE AS \$\$\n([^]*?)\n\$\$;/;
const ARGUMENT = /(?:[^(),]|\([^()]*\))+/.source;
const CALL = new RegExp(`known_key\\((${ARGUMENT}), (${ARGUMENT})\\)`, "g");

/**
 * A release's functions, for a database that has Citus (Decision D53). Citus plans a statement before
 * PostgreSQL puts SQL functions in their places, and cannot plan those that read tables: the look-up of a
 * key stands in the statements themselves, and as a function it is of PL/pgSQL. Nor does Citus make one
 * plan for all parameters.
 *
 * @param functions as they stand in a release
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
