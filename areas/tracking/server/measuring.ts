// Tracking settings of an account: whether opens and clicks are tracked, and link hosts.
import { readAccount, saveTrackingSettings } from '#areas/accounts/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { calls, type Measuring } from '../contract.ts';
import type { HostIssue } from '../shared.ts';
import { checkHosts, readLinkBase } from './hosts.ts';
import { listHosts } from './hosts.sql.ts';

/** Returns the settings that are frozen with a message; settings with default values are absent. */
export async function readMessageMeasuring(
  db: Reader,
  accountId: number,
  message: { from: string; publicUrl: string },
): Promise<{ measures_opens?: false; measures_clicks?: false; public_url?: string }> {
  const account = await readAccount(db, accountId);
  const base = await readLinkBase(db, accountId, message.from, message.publicUrl);
  return {
    ...(account.tracks_opens ? {} : { measures_opens: false as const }),
    ...(account.tracks_clicks ? {} : { measures_clicks: false as const }),
    ...(base === undefined ? {} : { public_url: base }),
  };
}

async function readMeasuring(db: Reader, accountId: number): Promise<Measuring> {
  const account = await readAccount(db, accountId);
  const hosts = await listHosts(db, accountId);
  return {
    opens: account.tracks_opens,
    clicks: account.tracks_clicks,
    hosts: hosts.map(({ domain, host, reached_at, fault, checked_at }) => ({
      domain,
      host,
      is_used: reached_at !== null,
      fault: fault as HostIssue | null,
      checked: checked_at.toISOString(),
    })),
  };
}

/** Rate limit of checks, which send requests to servers that the account chose. */
const CHECKS = { capacity: 10, perSecond: 0.1 };

export function trackingRoutes(publicUrl: string): Route[] {
  return createRoutes('tracking', calls, {
    getMeasuring: ({ tx, caller }) => readMeasuring(tx, caller.accountId),
    saveMeasuring: async ({ tx, caller, body }) => {
      await saveTrackingSettings(tx, caller.accountId, body);
      return readMeasuring(tx, caller.accountId);
    },
    checkHosts: async ({ db, caller }) => {
      await requireToken(db, `hosts-check:${caller.accountId}`, CHECKS);
      await checkHosts(db, caller.accountId, publicUrl, 'all');
      return readMeasuring(db, caller.accountId);
    },
  });
}
