// Rows of one call, each with its own result: an invalid row changes nothing and stops no other.
import type { z } from 'zod';
import type { Language } from '../../languages.ts';
import type { RowResult } from '../../v2-contract.ts';
import type { Tx } from '../database/database.ts';
import { inSavepoint } from '../database/savepoint.sql.ts';
import { AppError } from '../errors.ts';
import { errorBody } from './errors.ts';
import { fieldErrors } from './field-errors.ts';

type Caller = { area: string; language: Language };

/** The results in the order of the rows. Unexpected errors end the whole call. */
export async function saveRows<Schema extends z.ZodType, Out extends object>(
  tx: Tx,
  { rows, schema }: { rows: readonly unknown[]; schema: Schema },
  save: (row: z.output<Schema>) => Promise<Out>,
  { area, language }: Caller,
): Promise<(RowResult & Partial<Out>)[]> {
  const results: (RowResult & Partial<Out>)[] = [];
  for (const [index, row] of rows.entries()) {
    try {
      const read = schema.safeParse(row);
      if (!read.success) throw new AppError('invalid', { errors: fieldErrors(read.error.issues) });
      const saved = await inSavepoint(tx, () => save(read.data));
      results.push({ index, success: true, ...saved });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { message, code, errors } = errorBody(error, [area], language);
      results.push({ index, success: false, error: String(message), code, errors } as RowResult &
        Partial<Out>);
    }
  }
  return results;
}
