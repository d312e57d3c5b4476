// Forecasts a batch of an import with the same comparison as the import itself, without changes.
import { readAccount } from '#areas/accounts/server/index.ts';
import type { CopyIn, Tx } from '#platform/server/database/database.ts';
import { compareStaged, type ForecastSample } from './import-forecast.sql.ts';
import { renderStagedLines } from './import-lines.ts';
import { findSuppressed, resolveNewStatuses, recordSuppressed } from './import-people.ts';
import * as store from './import-people.sql.ts';
import type { ImportBatch, StagedRecord } from './imported-people.ts';

export type { ForecastSample } from './import-forecast.sql.ts';

export interface BatchForecast {
  created: number;
  updated: number;
  unchanged: number;
  /** Rows of subscribers who will not be emailed, as in ImportBatchResult. */
  unmailableRows: number[];
  samples: ForecastSample[];
}

/**
 * Runs within the caller's transaction, which may be rolled back or committed because the staging
 * table is emptied again.
 */
export async function forecastRecords(
  tx: Tx,
  copy: CopyIn,
  batch: ImportBatch,
  samples: number,
): Promise<BatchForecast> {
  const suppressions = await findSuppressed(tx, batch);
  const records: StagedRecord[] = batch.records.map((record) => ({
    record,
    statuses: resolveNewStatuses(record, batch, suppressions),
  }));
  const forecast: BatchForecast = {
    created: records.length,
    updated: 0,
    unchanged: 0,
    unmailableRows: [],
    samples: [],
  };
  const account = await readAccount(tx, batch.accountId);
  if (account.subscriber_count > 0 && records.length > 0) {
    await store.preferIndexes(tx);
    await store.copyStaged(copy, renderStagedLines(batch, records));
    const {
      unmailableRows,
      samples: shownSamples,
      ...counts
    } = await compareStaged(tx, batch, samples);
    await store.deleteStaged(tx, batch);
    Object.assign(forecast, counts, {
      unmailableRows: unmailableRows ?? [],
      samples: shownSamples ?? [],
    });
  }
  recordSuppressed(records, forecast);
  return forecast;
}
