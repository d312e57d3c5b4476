// Forecasts a batch of an import with the same comparison as the import itself, without changes.
import { readAccount } from '#areas/accounts/server/index.ts';
import type { CopyIn, Tx } from '#platform/server/database/database.ts';
import { compareStaged, type ForecastSample } from './import-forecast.sql.ts';
import { renderStagedLines } from './import-lines.ts';
import { findSuppressed, resolveNewStatuses, recordSuppressed } from './import-people.ts';
import * as store from './import-people.sql.ts';
import type { PeopleBatch, StagedPerson } from './imported-people.ts';

export type { ForecastSample } from './import-forecast.sql.ts';

export interface BatchForecast {
  created: number;
  updated: number;
  unchanged: number;
  /** Rows of subscribers who will not be mailed, as in PeopleBatchResult. */
  kept: number[];
  samples: ForecastSample[];
}

/**
 * Runs within the caller's transaction, which may be rolled back or committed, since the staging
 * table is emptied again.
 */
export async function forecastPeople(
  tx: Tx,
  copy: CopyIn,
  batch: PeopleBatch,
  samples: number,
): Promise<BatchForecast> {
  const suppressed = await findSuppressed(tx, batch);
  const people: StagedPerson[] = batch.people.map((person) => ({
    person,
    statuses: resolveNewStatuses(person, batch, suppressed),
  }));
  const forecast: BatchForecast = {
    created: people.length,
    updated: 0,
    unchanged: 0,
    kept: [],
    samples: [],
  };
  const account = await readAccount(tx, batch.accountId);
  if (account.subscriber_count > 0 && people.length > 0) {
    await store.preferIndexes(tx);
    await store.copyStaged(copy, renderStagedLines(batch, people));
    const { kept: retained, samples: shown, ...counts } = await compareStaged(tx, batch, samples);
    await store.deleteStaged(tx, batch);
    Object.assign(forecast, counts, { kept: retained ?? [], samples: shown ?? [] });
  }
  recordSuppressed(people, forecast);
  return forecast;
}
