// Evaluates the signals of a domain for its checklist and its health.
import type { Reader } from '#platform/server/database/database.ts';
import { clock } from '#platform/server/clock.ts';
import type { ComplianceItem } from '../../contract.ts';
import { type ComplianceReason, REQUIREMENTS } from '../../signals-shared.ts';
import { ADVICE_DAYS, addDays } from '../advice.ts';
import type { SignalKind } from './postmaster.ts';
import {
  type DomainComplianceRow,
  readCompliance,
  readSignals,
  type SignalRow,
} from './signals.sql.ts';

/** Minimum days of data before a rate is used. */
export const MIN_DAYS = 2;
const WINDOW_DAYS = 7;
/** The limits in Gmail's guidelines for senders. */
const SPAM_RATES = { watch: 0.001, act: 0.003 } as const;

/** Gmail verdicts older than this are ignored. */
const FRESH_MS = 7 * 86_400_000;

export type SignalMeans = Partial<Record<SignalKind, number>>;

/** Computes 30-day means of the kinds that have enough days of data. */
export async function computeSignalMeans(
  db: Reader,
  accountId: number,
  domainId: number,
): Promise<SignalMeans> {
  const since = addDays(clock.now().toISOString().slice(0, 10), 1 - ADVICE_DAYS);
  return averageSignals(await readSignals(db, accountId, since, domainId));
}

export function averageSignals(rows: readonly SignalRow[]): SignalMeans {
  const values = new Map<string, number[]>();
  for (const { kind, value } of rows) values.set(kind, [...(values.get(kind) ?? []), value]);
  return Object.fromEntries(
    [...values]
      .filter(([, list]) => list.length >= MIN_DAYS)
      .map(([kind, list]) => [kind, list.reduce((sum, value) => sum + value, 0) / list.length]),
  );
}

/** Finds the highest rate reached on at least two of the last seven days, and its level. */
export function findHighSpamRate(
  rows: readonly SignalRow[],
  now: Date,
): { level: 'watch' | 'act'; rate: number } | undefined {
  const since = addDays(now.toISOString().slice(0, 10), -WINDOW_DAYS);
  const rates = rows
    .filter(({ kind, day }) => kind === 'spam_rate' && day >= since)
    .map(({ value }) => value)
    .sort((a, b) => b - a);
  const rate = rates[MIN_DAYS - 1];
  if (rate === undefined || rate < SPAM_RATES.watch) return undefined;
  return { level: rate >= SPAM_RATES.act ? 'act' : 'watch', rate };
}

type FreshCompliance = Omit<DomainComplianceRow, 'isMet' | 'isCurrent'> & { isMet: boolean | null };

/**
 * Reads Gmail's verdicts of the last seven days. After a failed retrieval, a requirement that was
 * met is unknown (null), because it may have become unmet. An unmet one remains a problem.
 */
export async function readFreshCompliance(
  db: Reader,
  accountId: number,
  domainId?: number,
): Promise<FreshCompliance[]> {
  const since = new Date(clock.now().getTime() - FRESH_MS);
  const rows = await readCompliance(db, accountId, since, domainId);
  return rows.map(({ isCurrent, ...row }) => ({
    ...row,
    isMet: row.isMet && !isCurrent ? null : row.isMet,
  }));
}

/** Converts the verdicts to the contract, in display order. */
export const presentCompliance = (rows: readonly FreshCompliance[]): ComplianceItem[] =>
  REQUIREMENTS.flatMap((requirement) => {
    const row = rows.find((row) => row.requirement === requirement);
    if (!row) return [];
    const reason = row.reason as ComplianceReason | null;
    const [since, asOf] = [row.since.toISOString(), row.fetchedAt.toISOString()];
    return [{ requirement, is_met: row.isMet, reason, since, as_of: asOf }];
  });
