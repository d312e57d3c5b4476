// SQL that selects the recipients of an audience and finds why other subscribers are excluded.
import { type RawBuilder, sql } from 'kysely';
import type { Condition } from '#areas/segments/shared.ts';
import {
  type Gap,
  findLargeGaps,
  compileAnyOf,
  isAmong,
  type WasSent,
} from '#areas/segments/server/index.ts';
import {
  bucketExpression,
  type BucketRange,
  BUCKET_COUNT,
} from '#areas/experiments/server/index.ts';
import { getAddressField, type Channel as StatusChannel } from '#areas/subscribers/shared.ts';
import { suppressionHashPads } from '#areas/subscribers/server/index.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { StatementValue } from '#platform/server/database/prepared.ts';
import type { MessageChannel } from '../../message-kinds.ts';
import { ADDRESS, getStatusChannel, selectStatus } from '../channels/addresses.sql.ts';
import type { WavePlan } from '../waves/wave-plan.ts';
import {
  acceptedOfPacked,
  type IdRange,
  isInRunsOf,
  findPacked,
  positionInRuns,
  recipientSet,
} from './recipient-runs.sql.ts';

/**
 * Recipients of a message: all subscribers or the members of groups and segments, minus excluded
 * groups and segments.
 */
export type Audience = {
  all: boolean;
  groups: readonly number[];
  excluded: readonly number[];
  /** Conditions of each segment at the start of the message. */
  segments?: readonly (readonly Condition[])[] | undefined;
  excludedSegments?: readonly (readonly Condition[])[] | undefined;
  /**
   * Instead of groups and segments: recipients of these messages whose copy was accepted and did
   * not bounce, and who have no open or click, human or automated.
   */
  unopened?: number | readonly number[] | undefined;
  /**
   * With `unopened`: only copies accepted by this instant count, because later ones have not had
   * time to be opened.
   */
  acceptedBy?: string | undefined;
  /** The waves of the recipients; without waves, every copy is sent as soon as possible. */
  waves?: WavePlan | undefined;
  /** Subscribers with an accepted copy of one of these messages are excluded. */
  withoutRecipientsOf?: readonly number[] | undefined;
  /**
   * Limits the recipients to subscribers whose bucket for this salt is in these ranges; see
   * areas/experiments.
   */
  places?: { salt: string; ranges: readonly BucketRange[] } | undefined;
  /** For the lead of a group: the message that each bucket gets. */
  split?: Split | undefined;
  /** For the messages of a group except its lead: the lead's job writes their recipients. */
  isWrittenByLead?: true | undefined;
};

export type Split = {
  /** `opens`: the start of a variant that starts later than the message. */
  parts: readonly (BucketRange & { messageId: number; opens?: string | undefined })[];
  holdout: BucketRange;
};

/**
 * SQL: `s` has an accepted copy of one of these messages. The acceptance is a row of `results`, or
 * the recipient's position is in a compacted range. Recipients are looked up in rows and in runs
 * because a message may be packed between the check for packing and this query. Every OFFSET forces
 * a lookup by keys: with joins, PostgreSQL searched results in all messages of the account.
 */
function wasAccepted(
  accountId: number,
  messageIds: readonly number[],
  inTime: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  const ids = sql`${[...messageIds]}::bigint[]`;
  const isOurs = sql`r.account_id = ${accountId} and r.message_id = any(${ids})
    and r.subscriber_id = s.id`;
  return sql`exists (select 1 from recipients r
    join results a on a.account_id = ${accountId} and a.message_id = r.message_id
      and a.lane = r.lane and a.ordinal = r.ordinal and a.state = 'accepted' ${inTime}
    where ${isOurs} offset 0)
    or exists (select 1 from recipients r
    join compacted_ranges p on p.account_id = ${accountId} and p.message_id = r.message_id
      and p.lane = r.lane and r.ordinal between p.from_ordinal and p.to_ordinal
    where ${isOurs}
      and not exists (select 1 from results n where n.account_id = ${accountId}
        and n.message_id = r.message_id and n.lane = r.lane and n.ordinal = r.ordinal)
    offset 0)
    or exists (select 1 from unnest(${ids}) packed(id)
    cross join lateral ${positionInRuns(accountId, sql`packed.id`, sql`s.id`)} r
    where exists (select 1 from compacted_ranges p where p.account_id = ${accountId}
        and p.message_id = packed.id and p.lane = r.lane
        and r.ordinal between p.from_ordinal and p.to_ordinal offset 0)
      and not exists (select 1 from results n where n.account_id = ${accountId}
        and n.message_id = packed.id and n.lane = r.lane and n.ordinal = r.ordinal offset 0)
    offset 0)`;
}

/**
 * SQL: `s` has an accepted copy of one of these messages. For a slice or a bitmap, the recipients
 * of packed messages are read once, as a set: a lookup in the runs for each of 1,000,000
 * subscribers took three times as long as a lookup in the rows. Neither form is a join, which could
 * become quadratic with a wrong estimate.
 */
function isAccepted(
  { accountId, slice, gaps }: CompiledAudience,
  { packed, unpacked }: Messages,
  inTime: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  if (packed.length === 0 || !(slice || gaps)) {
    const ids = [...packed, ...unpacked];
    return ids.length > 0 ? sql`(${wasAccepted(accountId, ids, inTime)})` : sql`false`;
  }
  const acceptedIds = acceptedOfPacked(accountId, packed, slice, inTime);
  // The comparison with true makes PostgreSQL build a hash table of the slice and prevents a nested
  // loop.
  const isInSet = slice
    ? sql`((s.id in (${acceptedIds})) is true)`
    : isAmong(acceptedIds, accountId, gaps);
  if (unpacked.length === 0) return isInSet;
  return sql`(${isInSet} or ${wasAccepted(accountId, unpacked, inTime)})`;
}

/** SQL: the result `a` was accepted early enough for the copy to be opened. */
const isInTime = ({ acceptedBy }: Audience): RawBuilder<unknown> =>
  acceptedBy ? sql`and a.at <= ${acceptedBy}::timestamptz` : sql``;

/**
 * SQL: `s` has an accepted copy without a bounce, and no open or click. Automated opens also count:
 * they may hide a real open, which must not cause a second email.
 */
function hasNotOpened(compiled: CompiledAudience): RawBuilder<unknown> {
  const { accountId, audience, unopened } = compiled;
  const ids = [...unopened.packed, ...unopened.unpacked];
  return sql`${isAccepted(compiled, unopened, isInTime(audience))}
    and not exists (select 1 from outcomes o where o.account_id = ${accountId}
      and o.subscriber_id = s.id and o.message_id = any(${ids}::bigint[])
      and (o.first_open_at is not null or o.first_click_at is not null
        or o.returned_at is not null or o.hard_bounced_at is not null))`;
}

/**
 * Messages that an audience refers to, by the form of their recipients. A packed message stays
 * packed.
 */
type Messages = { packed: number[]; unpacked: number[] };

/** An audience with compiled segments, as of one instant. */
type CompiledAudience = {
  accountId: number;
  channel: MessageChannel;
  audience: Audience;
  asOf: Date;
  slice: IdRange | undefined;
  /**
   * Gaps between the account's subscriber IDs; set if whole sets of subscribers are read as
   * bitmaps.
   */
  gaps: readonly Gap[] | undefined;
  unopened: Messages;
  received: Messages;
  inSegment: RawBuilder<boolean> | undefined;
  inExcludedSegment: RawBuilder<boolean> | undefined;
};

/**
 * Compiles the segments of an audience. A segment that refers to a deleted object cannot be
 * evaluated: as an included segment it selects no subscribers, as an excluded one it excludes all
 * of them, so that no copy is sent by mistake.
 */
export async function compileAudience(
  db: Reader,
  accountId: number,
  channel: MessageChannel,
  audience: Audience,
  asOf: Date,
  slice?: IdRange,
): Promise<CompiledAudience> {
  const { segments = [], excludedSegments = [], unopened = [], withoutRecipientsOf } = audience;
  const unopenedIds = typeof unopened === 'number' ? [unopened] : unopened;
  const receivedIds = withoutRecipientsOf ?? [];
  const packedIds = await findPacked(db, accountId, [...unopenedIds, ...receivedIds]);
  const hasSets = packedIds.size + audience.groups.length + audience.excluded.length > 0;
  const byForm = (ids: readonly number[]): Messages => ({
    packed: ids.filter((id) => packedIds.has(id)),
    unpacked: ids.filter((id) => !packedIds.has(id)),
  });
  return {
    accountId,
    channel,
    audience,
    asOf,
    slice,
    gaps: !slice && hasSets ? await findLargeGaps(db, accountId) : undefined,
    unopened: byForm(unopenedIds),
    received: byForm(receivedIds),
    inSegment: await compileAnyOf(db, accountId, segments, {
      now: asOf,
      slice,
      matchesAllIfUnknown: false,
    }),
    inExcludedSegment: await compileAnyOf(db, accountId, excludedSegments, {
      now: asOf,
      slice,
      matchesAllIfUnknown: true,
    }),
  };
}

/** SQL: the audience selects `s`, a row of this account's subscribers. */
export function isInAudience(compiled: CompiledAudience): RawBuilder<unknown> {
  const { places } = compiled.audience;
  const ranges = places ? joinedRanges(places.ranges) : [];
  const [first] = ranges;
  const isWholeAudience = first?.from === 0 && first.to === BUCKET_COUNT;
  if (!places || isWholeAudience) return isSelected(compiled);
  // Range containment (`<@`) computes the bucket hash once per subscriber; two comparisons would
  // compute it twice.
  const spans = ranges.map(({ from, to }) => sql`int4range(${from}::int, ${to}::int)`);
  return sql`(${isSelected(compiled)}
    and int4multirange(${sql.join(spans)}) @> ${subscriberBucketSql(places.salt)})`;
}

/** Sorts the ranges and joins adjacent ones. */
function joinedRanges(ranges: readonly BucketRange[]): BucketRange[] {
  const mergedRanges: BucketRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
    const lastRange = mergedRanges.at(-1);
    if (lastRange?.to === range.from)
      mergedRanges[mergedRanges.length - 1] = { from: lastRange.from, to: range.to };
    else mergedRanges.push(range);
  }
  return mergedRanges;
}

/** SQL: the bucket of `s`. */
export const subscriberBucketSql = (salt: string) => bucketExpression(salt, sql<number>`s.id`);

function isSelected(compiled: CompiledAudience): RawBuilder<unknown> {
  const { audience, inSegment } = compiled;
  if (audience.unopened !== undefined) return hasNotOpened(compiled);
  if (audience.all) return sql`true`;
  if (inSegment && audience.groups.length === 0) return inSegment;
  const inGroup = isMember(compiled, audience.groups);
  return inSegment ? sql`(${inGroup} or ${inSegment})` : inGroup;
}

/**
 * SQL: `s` is in one of these groups. In a slice, OFFSET 0 forces one index probe per subscriber:
 * right after an import, without statistics of the new rows, the planner expected few members in a
 * group and joined 100,000 subscribers with nested loops. Counts of a whole account read the
 * members once, as a bitmap: a third of 1,000,000 subscribers took 3.3 s with probes and now takes
 * 0.5 s.
 */
function isMember(
  { accountId, slice, gaps }: CompiledAudience,
  groups: readonly number[],
): RawBuilder<unknown> {
  if (groups.length === 0) return sql`false`;
  const ids = sql`${[...groups]}::bigint[]`;
  if (gaps && !slice)
    return isAmong(
      sql`select g.subscriber_id from group_members g
        where g.account_id = ${accountId} and g.group_id = any(${ids})`,
      accountId,
      gaps,
    );
  return sql`exists (select 1 from group_members g where g.account_id = ${accountId}
    and g.subscriber_id = s.id and g.group_id = any(${ids}) offset 0)`;
}

/**
 * Provides `segment.was_sent`: SQL that finds the subscribers who are recipients of given messages.
 */
export async function findWasSent(
  _tx: Tx,
  { accountId }: { accountId: number },
): Promise<WasSent[]> {
  const areOurs = (messageIds: readonly number[]) => sql`= any(${[...messageIds]}::bigint[])`;
  return [
    {
      isRecipient: (ids) => sql<boolean>`(exists (select 1 from recipients r
        where r.account_id = ${accountId} and r.message_id ${areOurs(ids)} and r.subscriber_id = s.id)
        or ${isInRunsOf(accountId, ids, sql`s.id`)})`,
      selectRecipients: (ids) =>
        sql`select r.subscriber_id from ${recipientSet(accountId, areOurs(ids))} r`,
    },
  ];
}

const keyOf = (channel: StatusChannel) =>
  ADDRESS[getAddressField(channel) === 'email' ? 'email' : 'sms'].key;

/**
 * SQL: the address of `s` is on the suppression list of the channel; see suppression-hash.ts.
 */
export function isSuppressed(
  accountId: StatementValue<number>,
  channel: StatusChannel,
  {
    inner,
    outer,
  }: { inner: StatementValue<Buffer>; outer: StatementValue<Buffer> } = suppressionHashPads(),
): RawBuilder<unknown> {
  return sql`exists (select 1 from suppressions x where x.account_id = ${accountId}
    and x.channel = ${channel}
    and x.address_hash = sha256(${outer} || sha256(${inner} || convert_to(${keyOf(channel)}, 'UTF8'))))`;
}

/** SQL: the reason why a selected `s` gets no copy (one of EXCLUSIONS), or null. */
export function compileExclusion(compiled: CompiledAudience): RawBuilder<unknown> {
  const { accountId, audience, asOf, channel, inExcludedSegment, received } = compiled;
  const hasReceived = isAccepted(compiled, received);
  const isResent = (audience.withoutRecipientsOf ?? []).length > 0;
  return sql`case when ${isMember(compiled, audience.excluded)} then 'excluded'
    ${inExcludedSegment ? sql`when ${inExcludedSegment} then 'excluded_segment'` : sql``}
    ${isResent ? sql`when ${hasReceived} then 'received_before'` : sql``}
    ${findRefusals(accountId, channel, asOf)} end`;
}

/**
 * SQL: CASE branches for the reasons why `s` may get no marketing on this channel, regardless of
 * the message.
 */
export function findRefusals(
  accountId: number,
  channel: MessageChannel,
  asOf: Date,
): RawBuilder<unknown> {
  const statusChannel = getStatusChannel(channel, true);
  const status = selectStatus(statusChannel);
  return sql`
    when ${ADDRESS[channel].key} is null then 'no_address'
    when ${status} = 'non-subscribed' then 'non_subscribed'
    when ${status} <> 'active' then ${status}::text
    when s.paused_until > ${asOf} then 'paused'
    when ${isSuppressed(accountId, statusChannel)} then 'suppressed'`;
}
