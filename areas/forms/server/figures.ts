// Counts of views, starts and closes of forms, which pages report when visitors leave them:
// buffered in memory and written together every second. They contain no personal data.
import { setTimeout as sleep } from 'node:timers/promises';
import { decodePublicId } from '#platform/ids.ts';
import { cutText } from '#platform/server/clean-text.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import { toQuarter } from '#platform/server/database/quarters.ts';
import { addFigures, addPages, type SubmissionCount } from './submissions.sql.ts';

const EVERY_MS = 1_000;
/** Maximum count per report of one form and page: a visitor never produces more. */
const MAX_FIGURE = 100;
const DEVICES = new Set(['mobile', 'tablet', 'desktop']);

let counts: SubmissionCount[] = [];
let isWaiting = false;

const parseCount = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && value > 0
    ? Math.min(value, MAX_FIGURE)
    : 0;

/** Returns the URL without query and fragment, which may contain personal data. */
function toPageUrl(url: unknown): string {
  if (typeof url !== 'string' || !/^https?:\/\//.test(url)) return '';
  return cutText(url.split(/[?#]/)[0] ?? '', 500);
}

/**
 * Records a page's report: `{device, url, forms: {<public id>: {view, start, close}}}`. Malformed
 * reports are dropped.
 */
export function recordCounts(db: Db, report: unknown): void {
  const { device, forms, url } = (report ?? {}) as Record<'device' | 'forms' | 'url', unknown>;
  if (typeof forms !== 'object' || forms === null) return;
  const quarter = toQuarter(clock.now());
  const page = toPageUrl(url);
  for (const [id, reported] of Object.entries(forms).slice(0, 50)) {
    const form = decodePublicId('form', id);
    if (!form) continue;
    const { view, start, close } = (reported ?? {}) as Record<string, unknown>;
    counts.push({
      account_id: form.accountId,
      form_id: form.id,
      quarter,
      device: typeof device === 'string' && DEVICES.has(device) ? device : 'desktop',
      page,
      views: parseCount(view),
      starts: parseCount(start),
      closes: parseCount(close),
    });
  }
  if (isWaiting) return;
  isWaiting = true;
  void sleep(EVERY_MS).then(() => writeCounts(db));
}

export async function writeCounts(db: Db): Promise<void> {
  const batch = counts;
  counts = [];
  isWaiting = false;
  if (batch.length === 0) return;
  for (const [accountId, own] of Map.groupBy(batch, (count) => count.account_id)) {
    await Promise.all([addFigures(db, accountId, own), addPages(db, accountId, own)]).catch(
      (error: unknown) =>
        log.warn('Could not write form statistics', { reason: (error as Error).message }),
    );
  }
}
