// Processes rows of one call, with a separate result for each: an invalid row changes nothing and
// does not stop the others.
import type { z } from 'zod';
import type { Language } from '../../languages.ts';
import type { RowResult } from '../../v2-contract.ts';
import { isUniqueViolation, type Tx } from '../database/database.ts';
import { inSavepoint } from '../database/savepoint.sql.ts';
import { AppError } from '../errors.ts';
import { errorBody } from './errors.ts';
import { fieldErrors } from './field-errors.ts';

type ErrorTexts = { area: string; language: Language };

/**
 * Returns the results in the order of the rows. An unexpected error ends the call.
 * @param saveSet gets the valid rows by index, saves as many as it can together, and returns their
 * results by index; `save` gets each of the remaining rows
 */
export async function saveRows<Schema extends z.ZodType, Out extends object>(
  tx: Tx,
  { rows, schema }: { rows: readonly unknown[]; schema: Schema },
  save: (row: z.output<Schema>) => Promise<Out>,
  { area, language }: ErrorTexts,
  saveSet?: (rows: ReadonlyMap<number, z.output<Schema>>) => Promise<ReadonlyMap<number, Out>>,
): Promise<(RowResult & Partial<Out>)[]> {
  const results: (RowResult & Partial<Out>)[] = [];
  const parsedRows = rows.map((row) => schema.safeParse(row));
  const valid = new Map(
    parsedRows.flatMap((row, index) => (row.success ? [[index, row.data] as const] : [])),
  );
  const inSet = saveSet ? await savedOf(tx, () => saveSet(valid)) : undefined;
  for (const [index, row] of parsedRows.entries()) {
    try {
      if (!row.success) throw new AppError('invalid', { errors: fieldErrors(row.error.issues) });
      const result = inSet?.get(index) ?? (await inSavepoint(tx, () => save(row.data)));
      results.push({ index, success: true, ...result });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { message, code, errors } = errorBody(error, [area], language);
      results.push({ index, success: false, error: String(message), code, errors } as RowResult &
        Partial<Out>);
    }
  }
  return results;
}

const MAX_TRIES = 3;

/**
 * Returns undefined if a row makes the whole set fail; each row is then saved or refused
 * separately. If another transaction inserts one of the rows after `saveSet` has looked it up, the
 * set is saved again, because a second lookup finds that row.
 */
async function savedOf<Out>(tx: Tx, saveSet: () => Promise<Out>): Promise<Out | undefined> {
  for (let attempts = 1; attempts <= MAX_TRIES; attempts++) {
    try {
      return await inSavepoint(tx, saveSet);
    } catch (error) {
      if (error instanceof AppError) return undefined;
      if (!isUniqueViolation(error)) throw error;
    }
  }
  return undefined;
}
