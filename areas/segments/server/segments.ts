// Segments: saved conditions and their counts.
import { readAccount } from '#areas/accounts/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { isLanguage } from '#platform/languages.ts';
import { recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { callerLacks } from '#platform/server/http/rights.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import type { Actor, Caller } from '#platform/server/http/serve.ts';
import type { Preview, Segment } from '../contract.ts';
import { parseFilter, readConditions, writeFilter } from '../filter-grammar.ts';
import { type Condition, COUNTS_AGE_MS, SAMPLE, MAX_SEGMENTS } from '../shared.ts';
import { toAuditedConditions } from './audited-conditions.ts';
import { compileConditions } from './compile.ts';
import { readCountingContext } from './read-context.ts';
import { type CompileContext, gatherContext } from './context.ts';
import { countSegment, countSoon } from './counting.ts';
import { segmentDeleted, segmentInForce, segmentUsedBy } from './events.ts';
import * as store from './segments.sql.ts';
import type { SegmentRow } from './segments.sql.ts';
import { buildTitle } from '../sentence.ts';
import { describeConditions } from './speak.ts';

export type Author = Actor & Pick<Caller, 'language'>;
type WrittenConditions = string | readonly unknown[];

/**
 * Lists segments. Old or missing counts are computed in the background; then screens are notified.
 */
export async function listSegments(
  tx: Tx,
  caller: Author,
  list: ListRequest<'title' | 'created' | 'modified'>,
) {
  const page = await buildListResponse(
    list,
    {
      rows: (slice) => store.listSegments(tx, caller.accountId, list, slice),
      total: () => store.countSegments(tx, caller.accountId, list.search),
    },
    (row) => row,
  );
  const staleBefore = clock.now().getTime() - COUNTS_AGE_MS;
  const staleRows = page.data.filter(
    (row) => row.counted_at === null || row.counted_at.getTime() < staleBefore,
  );
  const ids = staleRows.map((row) => row.id);
  if (ids.length > 0) await countSoon(tx, caller.accountId, ids);
  return { ...page, data: await present(tx, caller, page.data) };
}

/** Returns one segment, counted now. @throws `not_found` */
export async function readSegment(tx: Tx, caller: Author, id: number): Promise<Segment> {
  await countSegment(tx, await segmentRow(tx, caller.accountId, id));
  return presentOne(tx, caller, id);
}

/**
 * Creates a segment. By default, its title is the sentence that describes its conditions, in the
 * account's language.
 */
export async function createSegment(
  tx: Tx,
  caller: Author,
  input: { conditions: WrittenConditions; title?: string | undefined },
): Promise<Segment> {
  const conditions = await acceptConditions(tx, caller.accountId, input.conditions);
  await requireCapacity(tx, caller.accountId);
  const title = input.title ?? (await ownTitle(tx, caller.accountId, conditions));
  return insert(tx, caller, title, conditions);
}

/**
 * Returns the id of the segment with exactly these conditions. If there is none, creates it with
 * the sentence as the default title.
 */
export async function ensureSegment(
  tx: Tx,
  { accountId, userId }: Actor,
  title: string | undefined,
  input: readonly unknown[],
): Promise<number> {
  const conditions = await acceptConditions(tx, accountId, input);
  const filter = writeFilter(conditions);
  const existing = (await store.findSegments(tx, accountId)).find(
    (row) => writeFilter(row.conditions) === filter,
  );
  if (existing) return existing.id;
  await requireCapacity(tx, accountId);
  return store.insertSegment(tx, accountId, {
    title: title ?? (await ownTitle(tx, accountId, conditions)),
    ...{ conditions, userId, at: clock.now() },
  });
}

/**
 * Updates a segment. @throws 409 `stale_revision` if it changed since the given revision; 403
 * `segment_in_force` if the caller lacks the right to change the recipients of its uses
 */
export async function updateSegment(
  tx: Tx,
  caller: Author,
  id: number,
  input: {
    conditions?: WrittenConditions | undefined;
    title?: string | undefined;
    revision?: number | undefined;
  },
): Promise<Segment> {
  const segment = await store.lockSegment(tx, caller.accountId, id);
  if (!segment) throw notFound();
  if (input.revision !== undefined && input.revision !== segment.revision) {
    throw new AppError('stale_revision', { extra: { revision: segment.revision } });
  }
  const conditions =
    input.conditions === undefined
      ? undefined
      : await acceptConditions(tx, caller.accountId, input.conditions);
  if (conditions && writeFilter(conditions) !== writeFilter(segment.conditions)) {
    await requireRightOfUses(tx, caller.accountId, id);
  }
  const change = { title: input.title, conditions, at: clock.now() };
  await store.updateSegment(tx, caller.accountId, id, change);
  if (conditions) {
    const before = toAuditedConditions(segment.conditions);
    recordChange({ before, after: toAuditedConditions(conditions) });
  }
  sendChangeHint(tx, caller.accountId, 'segment', id);
  return readSegment(tx, caller, id);
}

/**
 * Checks the rights to change the recipients of objects that send without a further decision.
 * @throws segment_in_force
 */
async function requireRightOfUses(tx: Tx, accountId: number, segmentId: number): Promise<void> {
  if (!callerLacks('send') && !callerLacks('transactional')) return;
  const uses = await segmentInForce.collect(tx, { accountId, segmentId });
  const forbidden = uses.filter(({ right }) => callerLacks(right));
  const [first] = forbidden;
  if (!first) return;
  throw new AppError('segment_in_force', {
    values: { names: forbidden.map(({ title }) => title).join(', ') },
    extra: { right: first.right, used_by: forbidden },
  });
}

export async function duplicateSegment(
  tx: Tx,
  caller: Author,
  id: number,
  title: string | undefined,
): Promise<Segment> {
  const row = await segmentRow(tx, caller.accountId, id);
  await requireCapacity(tx, caller.accountId);
  return insert(tx, caller, title ?? row.title, row.conditions);
}

/** Deletes a segment. @throws 409 `segment_in_use` with the segment's uses */
export async function deleteSegment(tx: Tx, accountId: number, id: number): Promise<void> {
  const segment = await store.lockSegment(tx, accountId, id);
  if (!segment) throw notFound();
  const users = await segmentUsedBy.collect(tx, { accountId, segmentId: id });
  if (users.length > 0) {
    throw new AppError('segment_in_use', {
      values: { names: users.map((user) => user.title).join(', '), count: users.length },
      extra: { used_by: users },
    });
  }
  await store.deleteSegment(tx, accountId, id);
  recordChange({ before: toAuditedConditions(segment.conditions) });
  await segmentDeleted.announce(tx, { accountId, segmentId: id });
}

/**
 * Counts the subscribers who match unsaved conditions and returns a few of them; without
 * conditions, all subscribers match.
 */
export async function previewConditions(
  tx: Tx,
  caller: Author,
  input: WrittenConditions,
): Promise<Preview> {
  const { accountId, language } = caller;
  const conditions = readWritten(input);
  const context = await readCountingContext(tx, accountId, conditions);
  const { where, unsupported } = compileConditions(conditions, context);
  if (unsupported.length > 0) throw malformedError();
  const counts = await store.countChosen(tx, accountId, where);
  const sampleWhere = compileConditions(conditions, { ...context, usesBitmaps: false }).where;
  const hasMatches = counts.subscribers > 0;
  const subscribers = hasMatches ? await store.readSample(tx, accountId, sampleWhere, SAMPLE) : [];
  return {
    ...counts,
    sentence: describeConditions(conditions, context.titles, language),
    names: context.titles,
    sample: subscribers.map((subscriber) => ({
      ...subscriber,
      id: encodeId('subscriber', subscriber.id),
    })),
  };
}

async function insert(
  tx: Tx,
  caller: Author,
  title: string,
  conditions: readonly Condition[],
): Promise<Segment> {
  const segment = { title, conditions, userId: caller.userId, at: clock.now() };
  recordChange({ after: toAuditedConditions(conditions) });
  return readSegment(tx, caller, await store.insertSegment(tx, caller.accountId, segment));
}

async function segmentRow(db: Reader, accountId: number, id: number): Promise<SegmentRow> {
  const [row] = await store.findSegments(db, accountId, [id]);
  if (!row) throw notFound();
  return row;
}

async function requireCapacity(db: Reader, accountId: number): Promise<void> {
  if ((await store.countSegments(db, accountId, undefined)) >= MAX_SEGMENTS) {
    throw new AppError('too_many_segments', { values: { most: MAX_SEGMENTS } });
  }
}

const malformedError = () =>
  new AppError('conditions_malformed', {
    errors: { conditions: ['segments:errors.conditions_malformed'] },
  });

/**
 * Parses the conditions. @throws 422 if any is malformed, because omitting it would select other
 * subscribers than intended
 */
function readWritten(input: WrittenConditions): Condition[] {
  const { conditions, droppedCount } =
    typeof input === 'string' ? parseFilter(input) : readConditions(input);
  if (droppedCount > 0) throw malformedError();
  return conditions;
}

/** Conditions valid for saving: well-formed, at least one, with existing references only. */
async function acceptConditions(
  db: Reader,
  accountId: number,
  input: WrittenConditions,
): Promise<Condition[]> {
  const conditions = readWritten(input);
  if (conditions.length === 0) {
    throw new AppError('conditions_missing', {
      errors: { conditions: ['segments:errors.conditions_missing'] },
    });
  }
  const context = await gatherContext(db, accountId, conditions, clock.now());
  if (compileConditions(conditions, context).unsupported.length > 0) throw malformedError();
  if (parseFilter(writeFilter(conditions)).droppedCount > 0) throw malformedError();
  return conditions;
}

async function ownTitle(
  db: Reader,
  accountId: number,
  conditions: readonly Condition[],
): Promise<string> {
  const { language } = await readAccount(db, accountId);
  const { titles } = await gatherContext(db, accountId, conditions, clock.now());
  return buildTitle(
    describeConditions(conditions, titles, isLanguage(language) ? language : 'eng'),
  );
}

async function presentOne(db: Reader, caller: Author, id: number): Promise<Segment> {
  const [segment] = await present(db, caller, [await segmentRow(db, caller.accountId, id)]);
  return segment as Segment;
}

async function present(
  db: Reader,
  caller: Author,
  rows: readonly SegmentRow[],
): Promise<Segment[]> {
  const all = rows.flatMap((row) => row.conditions);
  const context = await gatherContext(db, caller.accountId, all, clock.now());
  return rows.map((row) => presentRow(row, caller, context));
}

function presentRow(row: SegmentRow, caller: Author, context: CompileContext): Segment {
  const { conditions } = row;
  const ids = conditions.flatMap(({ key, operand, more }) => [key, operand, ...more]);
  return {
    id: encodeId('segment', row.id),
    title: row.title,
    account_id: encodeId('account', row.account_id),
    conditions,
    revision: row.revision,
    filter: writeFilter(conditions),
    sentence: describeConditions(conditions, context.titles, caller.language),
    names: Object.fromEntries(
      ids.flatMap((id) => {
        const name = context.titles[id];
        return name === undefined ? [] : [[id, name]];
      }),
    ),
    is_broken: compileConditions(conditions, context).unsupported.length > 0,
    subscribers: row.subscriber_count,
    active_subscribers: row.active_count,
    phone_count: row.phone_count,
    active_phone_count: row.active_phone_count,
    counted_at: row.counted_at?.toISOString() ?? null,
    created: row.created_at.toISOString(),
    modified: row.modified_at.toISOString(),
  };
}
