// Records the hosts of sites that load an account's form script, with the time of the last load, so
// that users see that the tag works.
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import { getFormsSettings } from './settings.ts';
import { saveSite } from './submissions.sql.ts';

const MINUTE_MS = 60_000;
const MAX_REMEMBERED = 10_000;
const MAX_HOST_LENGTH = 255;

/** When this process last stored each site, by database because tests have several. */
const storedSites = new WeakMap<Db, Map<string, number>>();

/**
 * Stores the site of a page or referrer, at most once a minute. The product's own pages are
 * ignored.
 */
export function recordSite(db: Db, accountId: number, url: unknown): void {
  const pageUrl = typeof url === 'string' ? URL.parse(url) : null;
  if (!pageUrl || !/^https?:$/.test(pageUrl.protocol)) return;
  const { host } = pageUrl;
  if (host === new URL(getFormsSettings().publicUrl).host || host.length > MAX_HOST_LENGTH) return;
  const knownSites = storedSites.get(db) ?? new Map<string, number>();
  storedSites.set(db, knownSites);
  const key = `${accountId} ${host}`;
  const at = clock.now();
  if (at.getTime() - (knownSites.get(key) ?? 0) < MINUTE_MS) return;
  if (knownSites.size >= MAX_REMEMBERED) knownSites.clear();
  knownSites.set(key, at.getTime());
  saveSite(db, accountId, host, at).catch((error: unknown) => {
    log.warn('Could not record the site of a form', { reason: (error as Error).message });
  });
}
