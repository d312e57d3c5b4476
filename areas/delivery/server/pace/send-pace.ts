// Reads what determines how fast a campaign is sent: the limits of relays, mailbox providers,
// autopilot and warm-up, the speed of past sends, and the campaign's waves.
import { parseSenderDomain } from '#areas/domains/server/index.ts';
import { MAILBOXES, getMailbox } from '#areas/subscribers/shared.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { capKey, type ProviderCapMap, readProviderCaps } from '../caps/provider-caps.sql.ts';
import type { Audience } from '../ledger/selection.sql.ts';
import { type SentQuarter, readSentByQuarter } from '../ledger/messages.sql.ts';
import {
  type AllowanceState,
  isLimited,
  type RateLimits,
  createState,
} from '../relays/allowance.ts';
import { readAllowances } from '../relays/relay-use.sql.ts';
import { readRelayLimits, relayKey } from '../relays/relays.ts';
import { listRelays, type RelayRow } from '../relays/relays.sql.ts';
import { listWarmUps } from '../warm-up/warm-ups.sql.ts';
import { readWaveShares } from '../waves/wave-times.ts';
import type { Pace, RateLimited, PacedRelay } from './replay.ts';

const DAY_MS = 86_400_000;
const PAST_DAYS = 30;

export type SendPace = {
  /**
   * Limits of the account's own relays; the limits of the installation's relays are not known here.
   */
  pace: Omit<Pace, 'perSecond'>;
  /** Emails that the account sent in each quarter-hour of the last 30 days, oldest first. */
  quarters: readonly SentQuarter[];
  /**
   * Mailbox providers where the autopilot permits only engaged subscribers, until an unknown time.
   * A provider that also has a rate limit is not included, because there the autopilot delays the
   * other subscribers only briefly.
   */
  engagedOnly: ReadonlySet<number>;
};

export async function readSendPace(
  db: Reader,
  accountId: number,
  { from, audience, startsAt }: { from: string; audience: Audience; startsAt: Date },
): Promise<SendPace> {
  const domain = parseSenderDomain(from);
  const caps = await readProviderCaps(db, accountId, domain);
  const relays = (await listRelays(db, accountId)).filter((relay) => relay.is_on);
  const plan = (await listWarmUps(db, accountId)).find(
    (warmUp) => warmUp.is_on && warmUp.domain === domain,
  );
  const engagedOnly = [...caps].filter(
    ([, { perHour, isEngagedOnly }]) => isEngagedOnly && perHour === null,
  );
  return {
    pace: {
      relays: await pacedRelays(db, relays, startsAt),
      caps: await pacedCaps(db, accountId, { domain, caps, now: startsAt }),
      warmUp: plan && {
        ...{ caps: plan.caps, day: plan.day, used: plan.used },
        startedAt: plan.day_began_at?.getTime() ?? null,
      },
      waves: audience.waves
        ? await readWaveShares(db, accountId, 'email', audience, startsAt)
        : undefined,
    },
    quarters: await readSentByQuarter(
      db,
      accountId,
      new Date(startsAt.getTime() - PAST_DAYS * DAY_MS),
      startsAt,
    ),
    engagedOnly: new Set(engagedOnly.map(([mailbox]) => mailbox)),
  };
}

async function pacedRelays(
  db: Reader,
  relays: readonly RelayRow[],
  now: Date,
): Promise<PacedRelay[]> {
  const keyOf = (relay: RelayRow) => relayKey(relay.account_id, relay.id);
  const knownMailboxes = Object.values(MAILBOXES).filter((mailbox) => mailbox !== MAILBOXES.other);
  const keys = relays.flatMap((relay) => [
    keyOf(relay),
    ...knownMailboxes.map((mailbox) => `${keyOf(relay)}/${mailbox}`),
  ]);
  const states = await readAllowances(db, keys);
  const toRateLimited = (key: string, limits: RateLimits): RateLimited => {
    const state: AllowanceState = states.get(key) ?? createState(now.getTime());
    return { limits, state };
  };
  return relays.map((relay) => {
    const limits = providerLimits(relay);
    const providers = knownMailboxes
      .map((mailbox): [number, RateLimited] => [
        mailbox,
        toRateLimited(`${keyOf(relay)}/${mailbox}`, limits.get(mailbox) ?? {}),
      ])
      .filter(([, pace]) => isPaced(pace));
    return {
      ...toRateLimited(keyOf(relay), readRelayLimits(relay)),
      providers: new Map(providers),
    };
  });
}

/** Reads the autopilot's hourly limits, and the emails sent under them. */
async function pacedCaps(
  db: Reader,
  accountId: number,
  { domain, caps, now }: { domain: string; caps: ProviderCapMap; now: Date },
): Promise<Map<number, RateLimited>> {
  const limitedCaps = [...caps].flatMap(([mailbox, { perHour }]) =>
    perHour === null ? [] : [{ mailbox, perHour, key: capKey({ accountId, domain, mailbox }) }],
  );
  const states = await readAllowances(
    db,
    limitedCaps.map(({ key }) => key),
  );
  return new Map(
    limitedCaps.map(({ mailbox, perHour, key }) => [
      mailbox,
      { limits: { perHour }, state: states.get(key) ?? createState(now.getTime()) },
    ]),
  );
}

/** Returns whether the owner set a limit, or a rate was learned from refusals. */
const isPaced = ({ limits, state }: RateLimited) => isLimited(limits) || state.learnt !== undefined;

/** Returns the relay's limits for known mailbox providers; limits for other domains are omitted. */
function providerLimits(relay: RelayRow): Map<number, RateLimits> {
  const limits = relay.domain_limits as { domain: string; per_minute: number }[];
  return new Map(
    limits
      .map(({ domain, per_minute: perMinute }): [number, RateLimits] => [
        getMailbox(`@${domain}`),
        { perMinute },
      ])
      .filter(([mailbox]) => mailbox !== MAILBOXES.other),
  );
}
