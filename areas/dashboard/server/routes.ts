// The dashboard's calls.
import { readAccount } from '#areas/accounts/server/index.ts';
import { readEmailUsage } from '#areas/billing/server/index.ts';
import { findSegmentCampaigns, readSentFigures } from '#areas/campaigns/server/index.ts';
import { readSentBetween, listStoppedCampaigns } from '#areas/delivery/server/ledger/index.ts';
import { readReach, readReachDays } from '#areas/subscribers/server/index.ts';
import { readSetbacks } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import {
  type Handlers,
  type CallLimits,
  type Route,
  createRoutes,
} from '#platform/server/http/serve.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { calls, type Growth } from '../contract.ts';
import { sumRevenueBetween } from './earned.ts';
import { type FirstEmailOptions, sendFirstEmail } from './first-email.ts';
import { readGroupRows } from './group-rows.ts';
import { addDays, resolveDays, type DateRange, toDay, startOfDay } from './days.ts';

/** Number of stopped campaigns shown; the list of campaigns contains all. */
const MAX_STOPPED = 3;

const FIRST_EMAILS = { capacity: 10, perSecond: 10 / 3600 };

const limits: CallLimits<typeof calls> = {
  // If the body of a call contains a website, the server downloads a few files from it.
  sendFirstEmail: ({ db, caller }) =>
    requireToken(db, `first-email:${caller.accountId}`, FIRST_EMAILS),
};

export function dashboardRoutes(options: FirstEmailOptions): Route[] {
  const handlers: Handlers<typeof calls> = {
    dashboardSubscribers: async ({ tx, caller, query }) => {
      const account = await readAccount(tx, caller.accountId);
      const range = resolveDays(query, account.timezone, clock.now());
      return readGrowth(tx, account, range);
    },
    dashboardSending: async ({ tx, caller, query }) => {
      const { timezone } = await readAccount(tx, caller.accountId);
      const range = resolveDays(query, timezone, clock.now());
      const [from, to] = instantsOf(range, timezone);
      const sentCounts = await readSentBetween(tx, caller.accountId, from, to);
      const setbacks = await readSetbacks(tx, caller.accountId, from, to);
      return { ...range, sent: sentCounts, ...setbacks };
    },
    dashboardEngagement: async ({ tx, caller, query }) => {
      const { timezone } = await readAccount(tx, caller.accountId);
      const range = resolveDays(query, timezone, clock.now());
      const [from, to] = instantsOf(range, timezone);
      return { ...range, ...(await readSentFigures(tx, caller.accountId, from, to)) };
    },
    dashboardGroups: async ({ tx, caller, query }) => {
      const { timezone } = await readAccount(tx, caller.accountId);
      const range = resolveDays(query, timezone, clock.now());
      const [from, to] = instantsOf(range, timezone);
      return { ...range, ...(await readGroupRows(tx, caller.accountId, from, to)) };
    },
    dashboardEarned: async ({ tx, caller, query }) => {
      const { timezone } = await readAccount(tx, caller.accountId);
      const range = resolveDays(query, timezone, clock.now());
      const [from, to] = instantsOf(range, timezone);
      return { ...range, ...(await sumRevenueBetween(tx, caller.accountId, from, to)) };
    },
    dashboardUsage: async ({ tx, caller }) => {
      const { timezone } = await readAccount(tx, caller.accountId);
      const { month, sentCount, limit } = await readEmailUsage(tx, caller.accountId);
      const to = toDay(timezone, new Date(month.end.getTime() - 1));
      return { from: toDay(timezone, month.start), to, sent: sentCount, limit };
    },
    dashboardStopped: ({ tx, caller }) => readStopped(tx, caller.accountId),
    sendFirstEmail: ({ db, caller, body }) => sendFirstEmail(db, caller, body.website, options),
  };
  return createRoutes('dashboard', calls, handlers, limits);
}

function instantsOf({ from, to }: DateRange, zone: string): [Date, Date] {
  return [startOfDay(from, zone), startOfDay(addDays(to, 1), zone)];
}

async function readStopped(tx: Tx, accountId: number) {
  const stoppedMessages = await listStoppedCampaigns(tx, accountId, MAX_STOPPED);
  if (stoppedMessages.length === 0) return [];
  const campaignIds = stoppedMessages.map((stoppedMessage) => stoppedMessage.source_id);
  const campaigns = await findSegmentCampaigns(tx, { accountId, campaignIds });
  return stoppedMessages.flatMap(({ source_id: id, reason }) => {
    const campaign = campaigns.find((campaign) => campaign.id === id);
    return campaign ? [{ id: encodeId('campaign', id), title: campaign.title, reason }] : [];
  });
}

/**
 * Calculates growth backward from the number of subscribers reachable now. Today's total in the
 * chart therefore equals the number of reachable subscribers shown above it.
 */
async function readGrowth(
  db: Reader,
  account: { id: number; timezone: string },
  { from, to }: DateRange,
): Promise<Growth> {
  const rows = await readReachDays(db, account.id, from, account.timezone);
  const byDay = new Map(rows.map((row) => [row.day, row]));
  let { reachable: total } = await readReach(db, account.id);
  for (const row of rows) if (row.day > to) total -= netOf(row);
  const totals = {
    total,
    added: 0,
    lost: 0,
    removed: 0,
    unsubscribed: 0,
    bounced: 0,
    complained: 0,
  };
  const days: Growth['days'] = [];
  for (let day = to; day >= from; day = addDays(day, -1)) {
    const row = byDay.get(day) ?? NO_CHANGE;
    const { added, removed } = row;
    const lost = lostOf(row);
    days.unshift({ day, total, added, lost, removed });
    total -= netOf(row);
    totals.added += added;
    totals.lost += lost;
    totals.removed += removed;
    totals.unsubscribed += row.unsubscribed;
    totals.bounced += row.bounced;
    totals.complained += row.complained;
  }
  return { from, to, ...totals, days };
}

type Change = typeof NO_CHANGE;
const NO_CHANGE = { added: 0, unsubscribed: 0, bounced: 0, complained: 0, removed: 0 };

const lostOf = ({ unsubscribed, bounced, complained }: Change) =>
  unsubscribed + bounced + complained;

const netOf = (change: Change) => change.added - lostOf(change) - change.removed;
