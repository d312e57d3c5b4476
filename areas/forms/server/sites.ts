// Records the hosts of sites that load an account's form script, with the time of the last load, so
// that users see that the tag works.
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import { formsSettings } from './settings.ts';
import { saveSite } from './submissions.sql.ts';

const MINUTE_MS = 60_000;
const MAX_REMEMBERED = 10_000;
const MAX_HOST_LENGTH = 255;

/** When this process last stored each site; by database, since tests have several. */
const stored = new WeakMap<Db, Map<string, number>>();

/**
 * Stores the site of a page or referrer, at most once a minute. The product's own pages are
 * ignored.
 */
export function recordSite(db: Db, accountId: number, url: unknown): void {
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return;
  const { host } = parsed;
  if (host === new URL(formsSettings().publicUrl).host || host.length > MAX_HOST_LENGTH) return;
  const known = stored.get(db) ?? new Map<string, number>();
  stored.set(db, known);
  const key = `${accountId} ${host}`;
  const at = clock.now();
  if (at.getTime() - (known.get(key) ?? 0) < MINUTE_MS) return;
  if (known.size >= MAX_REMEMBERED) known.clear();
  known.set(key, at.getTime());
  saveSite(db, accountId, host, at).catch((error: unknown) => {
    log.warn('Could not record a site of forms', { error: (error as Error).message });
  });
}
