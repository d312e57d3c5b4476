// Reads Microsoft SNDS through the operator's link for automated access: statistics of Outlook's
// consumer mailboxes about the installation's own IP addresses.
// https://sendersupport.olc.protection.outlook.com/snds/
import type { Db } from '#platform/server/database/database.ts';
import { clock } from '#platform/server/clock.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { log } from '#platform/server/log.ts';
import { callPublic } from '#platform/server/outgoing/outgoing-call.ts';
import { addDays } from '../advice.ts';
import { deleteOldSnds, saveSnds, type SndsDay } from './signals.sql.ts';

const MAX_BYTES = 1_000_000;
const MAX_ROWS = 2_000;
const STORED_DAYS = 100;
const RESULTS: Readonly<Record<string, SndsDay['result']>> = {
  GREEN: 'green',
  YELLOW: 'yellow',
  RED: 'red',
};

/**
 * Reads the rows of the activity report, which has one row per IP address and day, and no header.
 * Rows in another form are ignored, so an HTML page results in no data.
 */
export function readSnds(text: string): SndsDay[] {
  const days = new Map<string, SndsDay>();
  for (const line of text.split(/\r?\n/).slice(0, MAX_ROWS)) {
    const [ip = '', start = '', , , , messages = '', result = '', rate = '', , , traps = ''] = line
      .split(',')
      .map((cell) => cell.trim());
    const day = parseDay(start);
    const filter = RESULTS[result.toUpperCase()];
    if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(ip) || !day || !filter) continue;
    days.set(`${ip} ${day}`, {
      ...{ ip, day, result: filter, complaints: parseRate(rate) },
      ...{ messages: parseCount(messages), traps: parseCount(traps) },
    });
  }
  return [...days.values()];
}

/** Reads a time such as `11/28/2026 12:00 AM`. */
function parseDay(text: string): string | undefined {
  const [, month = 0, date = 0, year = 0] =
    /^(\d{1,2})\/(\d{1,2})\/(\d{4})\b/.exec(text)?.map(Number) ?? [];
  const at = new Date(Date.UTC(year, month - 1, date));
  return year > 2000 && at.getUTCDate() === date ? at.toISOString().slice(0, 10) : undefined;
}

/** Reads a rate. `< 0.1%` is read as 0.1 %. */
function parseRate(text: string): number | null {
  const [, percent] = /^(?:<\s*)?(\d{1,3}(?:\.\d+)?)\s*%$/.exec(text) ?? [];
  return percent === undefined ? null : Math.min(1, Number(percent) / 100);
}

const parseCount = (text: string) => Math.min(2 ** 31 - 1, Number(/^\d+$/.exec(text)?.[0] ?? 0));

export async function retrieveSnds(db: Db, url: string): Promise<void> {
  const now = clock.now();
  try {
    const call = { method: 'GET', timeoutMs: 30_000, maxBytes: MAX_BYTES } as const;
    const { status, body } = await callPublic(url, call);
    const days = status === 200 ? readSnds(body.toString('latin1')) : [];
    if (days.length === 0) log.warn('SNDS returned no data', { status });
    await saveSnds(db, days, now);
  } catch (error) {
    log.warn('Could not read SNDS', { reason: String(error) });
  }
  await deleteOldSnds(db, addDays(now.toISOString().slice(0, 10), -STORED_DAYS));
}

export const sndsPoller = (url: string): Poller => ({
  name: 'deliverability.snds',
  intervalMs: 6 * 3_600_000,
  run: (db) => retrieveSnds(db, url),
});
