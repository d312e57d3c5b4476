// Converts requests for approval to the form that users and programs read.
import { diffArrays } from 'diff';
import { findUsersById } from '#areas/accounts/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import type { Approval, ApprovalDetail, DiffLine } from '../contract.ts';
import type { ApprovalState } from '../shared.ts';
import { type ApprovalRow, findDecided, readFourEyes } from './approvals.sql.ts';
import { computeCeiling } from './ceiling.ts';
import {
  type ApprovalFacts,
  type ApprovalKind,
  approvalKinds,
  requireApprovalKind,
  type OutlineLine,
} from './kinds.ts';
import { createProgramNamer } from './program-names.ts';

const MAX_DIFF_LINES = 1000;

type Viewer = Pick<Caller, 'accountId' | 'userId' | 'via' | 'rights'>;
type Users = Awaited<ReturnType<typeof findUsersById>>;

export async function presentApprovals(
  tx: Tx,
  caller: Viewer,
  rows: readonly ApprovalRow[],
): Promise<Approval[]> {
  const ids = new Set(rows.flatMap((row) => [row.asked_by, row.decided_by ?? row.asked_by]));
  const users = ids.size === 0 ? [] : await findUsersById(tx, [...ids]);
  const programOf = await createProgramNamer(tx, caller.accountId, rows);
  const needsFourEyes = await readFourEyes(tx, caller.accountId);
  const kinds = await approvalKinds.collect(tx, null);
  return rows.map((row) => {
    const idKind = kinds.find(({ name }) => name === row.kind)?.idKind ?? 'approval';
    const isOwn = row.asked_by === caller.userId;
    const mayDecide = row.state === 'open' && hasRight(caller, row);
    return {
      id: encodeId('approval', row.id),
      kind: row.kind as Approval['kind'],
      state: row.state as ApprovalState,
      subject: {
        id: encodeId(idKind, row.subject),
        title: row.facts.title,
        path: row.facts.path,
      },
      scheduled: row.facts.scheduled,
      asked_at: row.asked_at.toISOString(),
      asked_by: presentUser(users, row.asked_by),
      program: programOf(row) ?? null,
      note: row.note,
      expires_at: row.expires_at.toISOString(),
      decided_at: row.decided_at?.toISOString() ?? null,
      decided_by: row.decided_by === null ? null : presentUser(users, row.decided_by),
      reason: row.reason,
      recipients: row.facts.audience?.count ?? null,
      can_decide: mayDecide && caller.via === 'session' && !(needsFourEyes && isOwn),
      can_withdraw:
        row.state === 'open' && caller.rights.has('drafts') && (isOwn || hasRight(caller, row)),
    };
  });
}

export const hasRight = (caller: Viewer, row: Pick<ApprovalRow, 'right'>): boolean =>
  (caller.rights as ReadonlySet<string>).has(row.right);

function presentUser(users: Users, id: number): Approval['asked_by'] {
  const user = users.find((candidate) => candidate.id === id);
  const name = [user?.name, user?.surname].filter(Boolean).join(' ');
  return { id: encodeId('user', id), name: name || null, email: user?.email ?? null };
}

export async function presentDetail(
  tx: Tx,
  caller: Viewer,
  row: ApprovalRow,
  facts: ApprovalFacts,
): Promise<ApprovalDetail> {
  const [approval] = await presentApprovals(tx, caller, [row]);
  const kind = await requireApprovalKind(tx, row.kind);
  const comparison = kind.isAboutPeople ? undefined : await findComparison(tx, kind, row);
  return {
    ...(approval as Approval),
    scheduled: facts.scheduled,
    audience: facts.audience,
    cost: facts.cost,
    findings: facts.findings,
    previews: facts.previews,
    people: await listAffectedSubscribers(tx, caller, kind, row),
    hosts: facts.hosts.map((host) => ({ host, is_new: !comparison?.knownHosts.has(host) })),
    compared_with: comparison?.with ?? null,
    // The conditions of a deletion may name a subscriber.
    diff:
      kind.isAboutPeople && !caller.rights.has('people')
        ? []
        : diffLines(comparison?.outline ?? [], facts.outline),
    ceiling: computeCeiling(facts),
  };
}

/**
 * Lists some of the affected subscribers, while the request is open, for users with the right to
 * see subscribers.
 */
async function listAffectedSubscribers(
  tx: Tx,
  { accountId, rights, via }: Viewer,
  kind: ApprovalKind,
  { state, input, subject }: ApprovalRow,
): Promise<ApprovalDetail['people']> {
  if (!kind.listSubscribers || state !== 'open' || via !== 'session' || !rights.has('people'))
    return [];
  const subscribers = await kind.listSubscribers(tx, accountId, input, subject);
  return subscribers.map(({ id, title }) => ({ id: encodeId('subscriber', id), title }));
}

/**
 * Returns the version that the request is compared with: the last decided request before it, or
 * else the version that subscribers received or that was active last. Known hosts are those of the
 * last approved request and of that version: a declined request does not make its hosts known.
 */
async function findComparison(tx: Tx, kind: ApprovalKind, row: ApprovalRow) {
  const decidedRequest = await findDecided(tx, row.account_id, row);
  const approvedRequest =
    decidedRequest?.state === 'declined'
      ? await findDecided(tx, row.account_id, row, ['approved'])
      : decidedRequest;
  const earlierVersion = await readEarlierVersion(tx, kind, row);
  return {
    with: decidedRequest ? ('request' as const) : (earlierVersion?.comparedWith ?? null),
    outline: decidedRequest?.facts.outline ?? earlierVersion?.outline ?? [],
    knownHosts: new Set([
      ...(approvedRequest?.facts.hosts ?? []),
      ...(earlierVersion?.hosts ?? []),
    ]),
  };
}

/** Returns the version that subscribers received or that was active last. */
async function readEarlierVersion(tx: Tx, kind: ApprovalKind, row: ApprovalRow) {
  try {
    return await kind.readPreviousOutline(tx, row.account_id, row.subject);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}

export function diffLines(
  before: readonly OutlineLine[],
  after: readonly OutlineLine[],
): DiffLine[] {
  const lines = diffArrays([...before], [...after], {
    comparator: (a, b) => a.part === b.part && a.text === b.text,
  });
  return lines
    .flatMap(({ added, removed, value }) =>
      value.map((line) => {
        const change = added ? 'added' : removed ? 'removed' : 'same';
        return { change, part: line.part, text: line.text } as const;
      }),
    )
    .slice(0, MAX_DIFF_LINES);
}
