// Calculates when a campaign finishes, from its last wave and the limits of relays, mailbox
// providers, autopilot and warm-up.
import { domainOf } from '#areas/domains/server/index.ts';
import { MAILBOXES, mailboxOf } from '#areas/subscribers/shared.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { capKey, type ProviderCapsOf, readProviderCaps } from '../caps/provider-caps.sql.ts';
import type { Audience } from '../ledger/selection.sql.ts';
import { maxPerQuarter } from '../ledger/messages.sql.ts';
import { type AllowanceState, isLimited, type Limits, newState } from '../relays/allowance.ts';
import { readAllowances } from '../relays/relay-use.sql.ts';
import { limitsOf, relayKey } from '../relays/relays.ts';
import { listRelays, type RelayRow } from '../relays/relays.sql.ts';
import { listWarmUps } from '../warm-up/warm-ups.sql.ts';
import { waveTimesOf } from '../waves/wave-times.ts';
import { type Pace, type Paced, type PacedRelay, type PaceLimit, replay } from './replay.ts';

const DAY_MS = 86_400_000;
const PAST_DAYS = 30;
const QUARTER_SECONDS = 900;
/** A quarter of an hour with fewer emails does not show the full speed. */
const MIN_AT_SPEED = 1_000;

/**
 * `at`: null after more than 30 days, and for `engaged`: less engaged recipients wait at a mailbox
 * provider until the autopilot sends to all subscribers again.
 */
type Done = { at: Date | null; limit: PaceLimit | 'timing' | 'engaged' };

/** Undefined where nothing limits the speed and none is known. */
export async function whenDone(
  db: Reader,
  accountId: number,
  send: {
    from: string;
    audience: Audience;
    /** Recipients by mailbox provider. */
    people: ReadonlyMap<number, number>;
    /** Those of them without recent engagement. */
    lessEngaged: ReadonlyMap<number, number>;
    startsAt: Date;
  },
): Promise<Done | undefined> {
  const { from, audience, people, startsAt } = send;
  const domain = domainOf(from);
  const caps = await readProviderCaps(db, accountId, domain);
  if (isHeld(caps, send.lessEngaged)) return { at: null, limit: 'engaged' };
  const limited = await pacedCaps(db, accountId, { domain, caps, now: startsAt });
  const pace = { ...(await paceOf(db, accountId, domain, startsAt)), caps: limited };
  const replayed = replay(people, startsAt.getTime(), pace);
  const { last } = audience.waves
    ? await waveTimesOf(db, accountId, 'email', audience, startsAt)
    : { last: undefined };
  const doneAt = replayed?.doneAt;
  if (replayed && doneAt === undefined) return { at: null, limit: replayed.limit };
  if (last && last.getTime() > (doneAt ?? startsAt.getTime())) return { at: last, limit: 'timing' };
  return replayed && doneAt !== undefined
    ? { at: new Date(doneAt), limit: replayed.limit }
    : undefined;
}

/** The limits of the installation's relays are not known here: only the speed they had. */
async function paceOf(db: Reader, accountId: number, domain: string, now: Date): Promise<Pace> {
  const relays = (await listRelays(db, accountId)).filter((relay) => relay.is_on);
  const plan = (await listWarmUps(db, accountId)).find(
    (warmUp) => warmUp.is_on && warmUp.domain === domain,
  );
  const since = new Date(now.getTime() - PAST_DAYS * DAY_MS);
  const sent = await maxPerQuarter(db, accountId, since);
  return {
    relays: await pacedRelays(db, relays, now),
    warmUp: plan && {
      ...{ caps: plan.caps, day: plan.day, used: plan.used },
      startedAt: plan.day_began_at?.getTime() ?? null,
    },
    perSecond: sent >= MIN_AT_SPEED ? sent / QUARTER_SECONDS : undefined,
  };
}

async function pacedRelays(
  db: Reader,
  relays: readonly RelayRow[],
  now: Date,
): Promise<PacedRelay[]> {
  const keyOf = (relay: RelayRow) => relayKey(relay.account_id, relay.id);
  const known = Object.values(MAILBOXES).filter((mailbox) => mailbox !== MAILBOXES.other);
  const keys = relays.flatMap((relay) => [
    keyOf(relay),
    ...known.map((mailbox) => `${keyOf(relay)}/${mailbox}`),
  ]);
  const states = await readAllowances(db, keys);
  const paced = (key: string, limits: Limits): Paced => {
    const state: AllowanceState = states.get(key) ?? newState(now.getTime());
    return { limits, state };
  };
  return relays.map((relay) => {
    const limits = providerLimits(relay);
    const providers = known
      .map((mailbox): [number, Paced] => [
        mailbox,
        paced(`${keyOf(relay)}/${mailbox}`, limits.get(mailbox) ?? {}),
      ])
      .filter(([, pace]) => isPaced(pace));
    return { ...paced(keyOf(relay), limitsOf(relay)), providers: new Map(providers) };
  });
}

/** A pause is not counted, since it ends soon; it also has a rate. */
function isHeld(caps: ProviderCapsOf, lessEngaged: ReadonlyMap<number, number>): boolean {
  return [...caps].some(
    ([mailbox, { perHour, isEngagedOnly }]) =>
      isEngagedOnly && perHour === null && (lessEngaged.get(mailbox) ?? 0) > 0,
  );
}

/** Rates of the autopilot, with the emails sent under them. */
async function pacedCaps(
  db: Reader,
  accountId: number,
  { domain, caps, now }: { domain: string; caps: ProviderCapsOf; now: Date },
): Promise<Map<number, Paced>> {
  const limited = [...caps].flatMap(([mailbox, { perHour }]) =>
    perHour === null ? [] : [{ mailbox, perHour, key: capKey({ accountId, domain, mailbox }) }],
  );
  const states = await readAllowances(
    db,
    limited.map(({ key }) => key),
  );
  return new Map(
    limited.map(({ mailbox, perHour, key }) => [
      mailbox,
      { limits: { perHour }, state: states.get(key) ?? newState(now.getTime()) },
    ]),
  );
}

/** Has a limit set by its owner, or a rate learned from refusals. */
const isPaced = ({ limits, state }: Paced) => isLimited(limits) || state.learnt !== undefined;

/** Limits of known mailbox providers; those of single domains are left out. */
function providerLimits(relay: RelayRow): Map<number, Limits> {
  const limits = relay.domain_limits as { domain: string; per_minute: number }[];
  return new Map(
    limits
      .map(({ domain, per_minute: perMinute }): [number, Limits] => [
        mailboxOf(`@${domain}`),
        { perMinute },
      ])
      .filter(([mailbox]) => mailbox !== MAILBOXES.other),
  );
}
