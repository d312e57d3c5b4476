// Estimates the time at which a campaign will be done, in total and by mailbox provider. The
// functions are pure.
import type { SendPace } from '#areas/delivery/server/ledger/index.ts';
import { excludeHost } from '#areas/subscribers/shared.ts';
import type { DoneTime, CampaignForecast } from '../../forecast-contract.ts';
import type { AudienceRow } from './cells.sql.ts';
import { forecastCompletion, type DoneTimes } from './done.ts';
import type { PastCampaigns } from './estimate.ts';
import { isLessEngaged, decodeMailbox } from './rates.ts';
import { fitRetries, type PastRetries, type RetryModel, type WaitCounts } from './retries.ts';

/**
 * Past campaigns, and the waits of their deferred emails in the same order; null for unknown waits.
 */
export type PastWaits = { past: PastCampaigns; waits: readonly (WaitCounts | null)[] };

export type ForecastTimes = {
  done: CampaignForecast['done'];
  providers: ReadonlyMap<number, DoneTime>;
};

const UNKNOWN_TIMES = { low: null, mid: null, high: null };

/**
 * Times that are not yet known because the campaign sends some emails later: the rest of an
 * experiment, or a delayed variant.
 */
export const UNTIL_DECIDED: ForecastTimes = {
  done: { ...UNKNOWN_TIMES, last: null, limit: 'experiment', retries: 'usual' },
  providers: new Map(),
};

/**
 * Returns the times; undefined if neither a limit nor a speed is known. Where the autopilot holds
 * back less engaged recipients, the times of the mailbox provider and of the whole campaign are
 * null.
 */
export function forecastTimes(
  rows: readonly AudienceRow[],
  history: PastWaits,
  send: { asOf: Date; seed: number; scale?: number | undefined; pace: SendPace },
): ForecastTimes | undefined {
  const { asOf, seed, scale, pace } = send;
  const isHeld = ({ mailbox, band }: AudienceRow) =>
    pace.engagedOnly.has(mailbox) && isLessEngaged(band);
  const heldMailboxes = new Set(rows.filter(isHeld).map(({ mailbox }) => mailbox));
  const recipients = countByMailbox(rows.filter((row) => !isHeld(row)));
  const retries = new Map(
    [...recipients.keys()].map((mailbox) => [mailbox, fitMailboxRetries(history, mailbox)]),
  );
  const input = { ...pace, recipients, retries, startsAt: asOf.getTime() };
  const times = forecastCompletion(input, { seed, scale });
  const getBasis = (mailbox: number) => (retries.get(mailbox)?.isKnown ? 'past' : 'usual');
  const isAllKnown = [...recipients.keys()].every((mailbox) => getBasis(mailbox) === 'past');
  const basis = { retries: isAllKnown ? ('past' as const) : ('usual' as const) };
  const waiting = [...heldMailboxes].map((mailbox): [number, DoneTime] => [
    mailbox,
    { ...UNKNOWN_TIMES, limit: 'engaged', retries: getBasis(mailbox) },
  ]);
  if (!times && heldMailboxes.size === 0) return undefined;
  const providers = [...(times?.providers ?? [])].map(([mailbox, done]): [number, DoneTime] => [
    mailbox,
    { ...presentTimes(done), retries: getBasis(mailbox) },
  ]);
  const done =
    times && heldMailboxes.size === 0
      ? { ...presentTimes(times), ...basis, last: formatInstant(times.lastRetryAt) }
      : { ...UNKNOWN_TIMES, ...basis, last: null, limit: 'engaged' as const };
  return { done, providers: new Map([...providers, ...waiting]) };
}

const formatInstant = (at: number) => (Number.isFinite(at) ? new Date(at).toISOString() : null);

const presentTimes = ({ low, mid, high, limit }: DoneTimes) => ({
  ...{ low: formatInstant(low), mid: formatInstant(mid), high: formatInstant(high), limit },
});

function countByMailbox(rows: readonly AudienceRow[]): Map<number, number> {
  const recipients = new Map<number, number>();
  for (const row of rows)
    recipients.set(row.mailbox, (recipients.get(row.mailbox) ?? 0) + row.recipients);
  return recipients;
}

/**
 * Lists the emails and waits of each past campaign at a mailbox provider, newest campaign first.
 */
const listPastRetries = (
  { past, waits }: PastWaits,
  mailbox: number,
): (PastRetries | undefined)[] =>
  past.map((cells, rank) => {
    const waitsByMailbox = waits[rank];
    if (!waitsByMailbox) return undefined;
    const mailboxCells = cells.filter(({ cell }) => decodeMailbox(cell) === mailbox);
    const emails = mailboxCells.reduce((sum, cell) => sum + cell.recipients, 0);
    return { emails, waits: waitsByMailbox[mailbox] ?? [] };
  });

/**
 * Fits the retries at a mailbox provider. Emails to company domains are counted as `other` until the
 * host that receives their email is known, so a host without data gets the retries of `other`.
 */
function fitMailboxRetries(history: PastWaits, mailbox: number): RetryModel {
  const retryModel = fitRetries(listPastRetries(history, mailbox));
  const unhostedMailbox = excludeHost(mailbox);
  return retryModel.isKnown || unhostedMailbox === mailbox
    ? retryModel
    : fitRetries(listPastRetries(history, unhostedMailbox));
}
