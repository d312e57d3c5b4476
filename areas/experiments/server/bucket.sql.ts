// The bucket of a subscriber as an SQL expression, for statements that assign many subscribers at
// once.
import { type Expression, type RawBuilder, sql } from 'kysely';
import { BUCKET_COUNT } from '../shared.ts';

/** Returns the SQL equivalent of `computeBucket(salt, id)`; the salt is a string or a column. */
export function bucketExpression(
  salt: string | Expression<string>,
  id: Expression<number>,
): RawBuilder<number> {
  const hash = sql`sha256(convert_to(${salt}::text || '/' || ${id}::text, 'UTF8'))`;
  const hashPrefix = sql`('x' || encode(substring(${hash} from 1 for 4), 'hex'))::bit(32)::bigint`;
  return sql<number>`(${hashPrefix} % ${sql.lit(BUCKET_COUNT)})::int`;
}
