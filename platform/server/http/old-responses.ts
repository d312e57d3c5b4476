// Deletes stored responses after one day.
import { clock } from '../clock.ts';
import type { Db } from '../database/database.ts';
import { dropOldIdempotencyKeys } from './idempotency.sql.ts';

const DAY_MS = 86_400_000;

export async function dropOldResponses(db: Db, accountId: number): Promise<void> {
  await dropOldIdempotencyKeys(db, accountId, new Date(clock.now().getTime() - DAY_MS));
}
