// The timing of a draft, its preview, and the sending window of the account.
import { readAccount } from '#areas/accounts/server/index.ts';
import { getMessageKindRules } from '#areas/delivery/message-kinds.ts';
import {
  type Audience,
  findBestHour,
  planWaves,
  readWaveTimes,
  type WavePlan,
} from '#areas/delivery/server/ledger/index.ts';
import { recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid } from '#platform/server/errors.ts';
import { MIN_BEST_HOUR_ACTIONS } from '../../shared.ts';
import type { SendWindow, BroadcastTiming, TimingPreview } from '../../timing-contract.ts';
import { roundWallTime } from '../../wall-time.ts';
import {
  getBroadcastRow,
  toStepChange,
  checkRevision,
  lockBroadcast,
  notifyAndReload,
  requireEditable,
} from '../broadcasts.ts';
import { updateRow } from '../broadcasts.sql.ts';
import { findExperiments } from '../experiments/experiments.sql.ts';
import type { BroadcastAdapter, BroadcastRow, ShownBroadcast } from '../adapter.ts';
import { resolveAudience } from '../recipients.ts';
import { readWaveRule, computeSendStart, getTiming } from './rules.ts';
import { deleteWindow, findWindow, saveWindow } from './windows.sql.ts';

type TimedAdapter<Row extends BroadcastRow, Shown extends ShownBroadcast> = BroadcastAdapter<
  Row,
  Shown
>;

export async function setTiming<Row extends BroadcastRow, Shown extends ShownBroadcast>(
  tx: Tx,
  adapter: TimedAdapter<Row, Shown>,
  accountId: number,
  id: number,
  timing: BroadcastTiming,
  revision: number | undefined,
): Promise<Shown> {
  const row = await lockBroadcast<Row>(tx, adapter, accountId, id);
  await requireEditable(tx, adapter, row);
  if (revision !== undefined) checkRevision(row, revision);
  await checkTiming(tx, accountId, timing);
  await requireTestable(tx, adapter, row, timing);
  recordChange({ before: { timing: getTiming(row) } });
  await updateRow(tx, adapter, accountId, id, {
    timing: JSON.stringify(normalizeTiming(timing)),
    ...toStepChange(row, adapter.steps.all, row.last_action),
  });
  return notifyAndReload(tx, adapter, accountId, id);
}

const normalizeTiming = (timing: BroadcastTiming): BroadcastTiming => ({
  ...timing,
  window: timing.window && timing.window !== 'default' ? sortDays(timing.window) : timing.window,
});

const sortDays = (window: SendWindow): SendWindow => ({
  ...window,
  days: [...new Set(window.days)].sort((a, b) => a - b),
});

/** @throws `invalid` if choices exclude each other, or for best hours without enough data */
async function checkTiming(db: Reader, accountId: number, timing: BroadcastTiming): Promise<void> {
  const { when, window, spread_hours: spread } = timing;
  if (spread !== null && when !== 'time') {
    throw invalid({ 'timing.spread_hours': ['errors.timing_spread'] });
  }
  if (window !== null && window !== 'default') checkWindow(window, 'timing.window.to');
  if (when === 'best_hour' && !(await hasBestHours(db, accountId))) {
    throw invalid({ 'timing.when': ['errors.timing_best_hour'] });
  }
}

function checkWindow({ from, to }: SendWindow, field: string): void {
  if (from >= to) throw invalid({ [field]: ['errors.timing_window'] });
}

const hasBestHours = async (db: Reader, accountId: number) =>
  ((await findBestHour(db, accountId))?.actions ?? 0) >= MIN_BEST_HOUR_ACTIONS;

/**
 * Refuses own times and best hours for a broadcast with an experiment, unless all recipients get a
 * variant. Otherwise the test could be decided only after the last time zone, more than a day
 * later, and the remaining recipients would miss their time.
 * @throws `timing_with_experiment`
 */
export async function requireTestable<Row extends BroadcastRow>(
  db: Reader,
  { tables }: Pick<BroadcastAdapter<Row>, 'tables'>,
  row: Row,
  timing = getTiming(row),
): Promise<void> {
  if (timing.when === 'time') return;
  const [experiment] = await findExperiments(db, tables, row.account_id, [row.id]);
  if (experiment && experiment.test_share < 100) throw new AppError('timing_with_experiment');
}

/** Returns the audience with the waves that the broadcast would have if it started now. */
export async function withWaves<Row extends BroadcastRow>(
  db: Reader,
  adapter: Pick<BroadcastAdapter<Row>, 'area' | 'tables'>,
  row: Row,
  audience: Audience,
): Promise<Audience> {
  const zone = row.schedule_zone ?? (await readAccount(db, row.account_id)).timezone;
  const waves = await resolveWavePlan(
    db,
    adapter,
    row,
    getTiming(row),
    row.schedule_time,
    zone,
    clock.now(),
  );
  return waves ? { ...audience, waves } : audience;
}

/**
 * Like `withWaves`, for a draft; returns undefined while the draft has own times and no time is
 * chosen.
 */
export async function resolveWavesNow<Row extends BroadcastRow>(
  db: Reader,
  adapter: Pick<BroadcastAdapter<Row>, 'area' | 'tables'>,
  row: Row,
  audience: Audience,
): Promise<Audience | undefined> {
  const needsTime = getTiming(row).when === 'own_time' && row.schedule_time === null;
  return needsTime ? undefined : withWaves(db, adapter, row, audience);
}

async function resolveWavePlan<Row extends BroadcastRow>(
  db: Reader,
  { area }: Pick<BroadcastAdapter<Row>, 'area'>,
  { account_id: accountId, id }: Row,
  timing: BroadcastTiming,
  wallTime: string | null,
  zone: string,
  at: Date,
): Promise<WavePlan | undefined> {
  return planWaves(
    await readWaveRule(db, accountId, timing, { wallTime, zone, at, salt: `${area}/${id}` }),
  );
}

/** Returns when the first and the last recipients would get the broadcast. */
export async function previewTiming<Row extends BroadcastRow, Shown extends ShownBroadcast>(
  db: Reader,
  adapter: TimedAdapter<Row, Shown>,
  accountId: number,
  id: number,
  {
    timing,
    schedule_time: requestedTime,
  }: { timing: BroadcastTiming; schedule_time: string | null },
): Promise<TimingPreview> {
  const row = await getBroadcastRow<Row>(db, adapter, accountId, id);
  const wallTime = requestedTime === null ? null : roundWallTime(requestedTime);
  if (wallTime === undefined) throw invalid({ schedule_time: ['errors.schedule_time_format'] });
  const { timezone: zone } = await readAccount(db, accountId);
  const at = computeSendStart(timing, wallTime, zone) ?? clock.now();
  const waves = await resolveWavePlan(db, adapter, row, timing, wallTime, zone, at);
  const audience = await resolveAudience(db, adapter, row);
  const { channel } = getMessageKindRules(adapter.messageKind);
  const times = await readWaveTimes(db, accountId, channel, { ...audience, waves }, at);
  return {
    first_at: times.firstAt?.toISOString() ?? null,
    last_at: times.lastAt?.toISOString() ?? null,
    past: times.pastCount,
    has_best_hours: await hasBestHours(db, accountId),
    default_window: await findWindow(db, accountId),
  };
}

export async function setWindow(
  tx: Tx,
  accountId: number,
  window: SendWindow | null,
): Promise<SendWindow | null> {
  recordChange({ before: { window: await findWindow(tx, accountId) } });
  if (window) {
    checkWindow(window, 'window.to');
    await saveWindow(tx, accountId, sortDays(window), clock.now());
  } else await deleteWindow(tx, accountId);
  return findWindow(tx, accountId);
}
