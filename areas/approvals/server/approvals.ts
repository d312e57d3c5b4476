// Requests for approval. A request is OPEN until one of these happens: a user with the right
// approves, declines or withdraws it; the requester withdraws it; its object changes (OUTDATED); or
// its time limit passes (EXPIRED).
import { listMembersWithRight, readRights } from '#areas/accounts/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { actionAudited, auditedText, recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { inSavepoint } from '#platform/server/database/savepoint.sql.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import type { RequestedCall } from '#platform/server/http/approvals.ts';
import { requireRight } from '#platform/server/http/rights.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import type { Right } from '#platform/rights.ts';
import type { Approval, ApprovalDetail, ApprovedRequest } from '../contract.ts';
import { type ApprovalKindName, type ApprovalState, EXPIRY_DAYS, MAX_OPEN } from '../shared.ts';
import * as store from './approvals.sql.ts';
import { approvalDecided, approvalFiled } from './events.ts';
import {
  type ApprovalFacts,
  type ApprovalKind,
  approvalKinds,
  requireApprovalKind,
} from './kinds.ts';
import { computeCeiling, getAudienceCount, isWithinCeiling } from './ceiling.ts';
import { hasRight, presentApprovals, presentDetail } from './present.ts';
import { createProgramNamer } from './program-names.ts';

const DAY_MS = 86_400_000;

/**
 * Creates a request, or finds the open request for the same state of the object. Returns its id.
 */
export async function fileRequest(tx: Tx, call: RequestedCall): Promise<string> {
  const { caller, ip, approverRight, note } = call;
  const { accountId } = caller;
  const kind = await requireApprovalKind(tx, call.kind);
  const { subject, input } = await identifySubject(tx, kind, call);
  await kind.lock(tx, accountId, subject);
  await kind.requirePossible(tx, accountId, subject, input);
  const requester = { userId: caller.userId, via: caller.via, viaId: caller.sessionId };
  const request = { accountId, right: approverRight, subject, input, note, requester };
  const { id, isNew } = await insertRequest(tx, kind, request);
  const publicId = encodeId('approval', id);
  if (isNew) {
    await actionAudited.announce(tx, {
      ...{ accountId, userId: caller.userId, via: caller.via, viaId: caller.sessionId, ip },
      ...{ action: 'approvals.requestApproval', subject: publicId, fields: [] },
      change: { after: describeAuditedObject(kind, subject) },
    });
  }
  return publicId;
}

/**
 * Describes the object for the audit log. The id of a selection is omitted, because it would remain
 * in the log after an erasure.
 */
const describeAuditedObject = ({ name, idKind, identify }: ApprovalKind, subject: number) => ({
  kind: name,
  ...(identify ? {} : { subject: encodeId(idKind, subject) }),
});

/** Returns the object of the call and the input to store. */
async function identifySubject(
  tx: Tx,
  kind: ApprovalKind,
  { caller, subject, input }: RequestedCall,
): Promise<{ subject: number; input: Record<string, unknown> }> {
  if (kind.identify) return kind.identify(tx, caller.accountId, input);
  if (subject === undefined)
    throw new Error(`A request of kind ${kind.name} was made without an object`);
  return { subject, input };
}

type NewRequest = {
  accountId: number;
  right: Right;
  subject: number;
  input: Record<string, unknown>;
  note: string;
  requester: { userId: number; via: string; viaId: number | null };
};

async function insertRequest(
  tx: Tx,
  kind: ApprovalKind,
  { accountId, right, subject, input, note, requester }: NewRequest,
): Promise<{ id: number; isNew: boolean }> {
  const facts = await kind.readFacts(tx, accountId, subject, input);
  const now = clock.now();
  const openApproval = await store.lockOpenApproval(tx, accountId, { kind: kind.name, subject });
  if (
    openApproval &&
    isSame(openApproval, facts, input) &&
    isWithinCeiling(facts, getAudienceCount(openApproval.facts))
  ) {
    return { id: openApproval.id, isNew: false };
  }
  if (openApproval) await endOpenApproval(tx, openApproval, 'outdated');
  if ((await store.countOpenApprovals(tx, accountId, [right], undefined)) >= MAX_OPEN) {
    throw new AppError('too_many_approvals');
  }
  const id = await store.insertApproval(tx, {
    ...{ account_id: accountId, kind: kind.name, subject, right, input, note },
    facts: kind.isAboutPeople ? { ...facts, outline: [] } : facts,
    ...{ digest: facts.digest, asked_by: requester.userId, asked_via: requester.via },
    ...{ asked_via_id: requester.viaId, asked_at: now, expires_at: computeExpiry(facts, now) },
  });
  // Another process has created a request since the lookup.
  if (id === undefined) throw new AppError('in_progress');
  sendChangeHint(tx, accountId, 'approval', id);
  const program = { asked_via: requester.via, asked_via_id: requester.viaId };
  await approvalFiled.announce(tx, {
    ...{ accountId, approvalId: id, kind: kind.name, title: facts.title, note },
    program: (await createProgramNamer(tx, accountId, [program]))(program),
    requesterId: requester.userId,
    deciders: await listDeciders(tx, accountId, right, requester.userId),
  });
  return { id, isNew: true };
}

/** Input fields that may differ between two requests for the same call. */
const IGNORED_FIELDS: ReadonlySet<string> = new Set(['revision', 'as_of']);

/**
 * Returns whether the open request has the same input, for the same state of the object. Null and
 * absent fields are equal, because requests of one API contain null where those of the other omit
 * the field.
 */
const isSame = (
  openApproval: store.ApprovalRow,
  facts: ApprovalFacts,
  input: Record<string, unknown>,
): boolean =>
  openApproval.digest === facts.digest &&
  serializeInput(openApproval.input) === serializeInput(input);

function serializeInput(input: Record<string, unknown>): string {
  const jsonInput = JSON.parse(JSON.stringify(input)) as Record<string, unknown>;
  const entries = Object.entries(jsonInput).filter(
    ([name, value]) => value !== null && !IGNORED_FIELDS.has(name),
  );
  return JSON.stringify(sortKeys(Object.fromEntries(entries)));
}

/** Sorts the properties of objects, because the database returns them in another order. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, nestedValue]) => [name, sortKeys(nestedValue)]);
}

function computeExpiry({ passesAt }: ApprovalFacts, now: Date): Date {
  const latest = new Date(now.getTime() + EXPIRY_DAYS * DAY_MS);
  const passesAtDate = passesAt === null ? latest : new Date(passesAt);
  return passesAtDate < latest ? passesAtDate : latest;
}

async function listDeciders(tx: Tx, accountId: number, right: Right, requesterId: number) {
  const needsFourEyes = await store.readFourEyes(tx, accountId);
  const members = await listMembersWithRight(tx, accountId, right);
  return members.map(({ id }) => id).filter((id) => !(needsFourEyes && id === requesterId));
}

export async function endOpenApproval(
  tx: Tx,
  row: store.ApprovalRow,
  state: 'outdated' | 'withdrawn',
  decision: { decidedBy?: number; reason?: string } = {},
): Promise<void> {
  const { account_id: accountId, id } = row;
  await store.updateApproval(tx, accountId, id, {
    ...{ state, decided_at: clock.now(), decided_by: decision.decidedBy ?? null },
    ...{ reason: decision.reason ?? '', ...(await computeStoredInput(tx, row)) },
  });
  sendChangeHint(tx, accountId, 'approval', id);
  if (state === 'outdated') await announceDecision(tx, row, { state, decidedBy: null, reason: '' });
}

/**
 * Returns the change of the stored input when a request ends: input that can name subscribers is
 * deleted, other input remains.
 */
async function computeStoredInput(tx: Tx, row: store.ApprovalRow): Promise<{ input?: string }> {
  const { isAboutPeople } = await requireApprovalKind(tx, row.kind);
  return isAboutPeople ? { input: '{}' } : {};
}

const announceDecision = (
  tx: Tx,
  row: store.ApprovalRow,
  {
    state,
    decidedBy,
    reason,
  }: {
    state: 'approved' | 'declined' | 'outdated' | 'expired';
    decidedBy: number | null;
    reason: string;
  },
) =>
  approvalDecided.announce(tx, {
    ...{ accountId: row.account_id, approvalId: row.id, kind: row.kind as ApprovalKindName },
    ...{ title: row.facts.title, requesterId: row.asked_by, note: row.note },
    ...{ state, decidedBy, reason },
  });

export async function listRequests(
  tx: Tx,
  caller: Caller,
  {
    state,
    subject,
    before,
    limit,
  }: {
    state?: ApprovalState | undefined;
    subject?: string | undefined;
    before?: string | undefined;
    limit: number;
  },
): Promise<{ data: Approval[]; next: string | null }> {
  const { accountId } = caller;
  const subjects = subject === undefined ? undefined : await listSubjects(tx, subject);
  const rows = await store.listApprovals(
    tx,
    accountId,
    { state, subjects },
    { before: before === undefined ? undefined : Number(before), limit: limit + 1 },
  );
  const visibleRows = rows.slice(0, limit);
  const lastRow = rows.length > limit ? visibleRows.at(-1) : undefined;
  // An object has at most one open request of each kind. In a list of all objects, outdated
  // requests are left to the poller: comparing 100 rows with their objects would take about ten
  // statements per row.
  const currentApprovals =
    subjects === undefined ? visibleRows : await refreshRows(tx, visibleRows);
  const matchingRows =
    state === undefined ? currentApprovals : currentApprovals.filter((row) => row.state === state);
  return {
    data: await presentApprovals(tx, caller, matchingRows),
    next: lastRow === undefined ? null : String(lastRow.id),
  };
}

/** Refreshes the rows. A request that cannot be compared is shown as stored. */
async function refreshRows(
  tx: Tx,
  rows: readonly store.ApprovalRow[],
): Promise<store.ApprovalRow[]> {
  const currentApprovals = [];
  for (const row of rows) {
    const logFields = { account: row.account_id, approval: row.id };
    const updatedRow = await isolateFailure(FAILED_COMPARISON, logFields, () =>
      inSavepoint(tx, () => refreshRow(tx, row)),
    );
    currentApprovals.push(updatedRow ?? row);
  }
  return currentApprovals;
}

export const FAILED_COMPARISON = 'Could not compare a request for approval with its object';

/** Lists the kinds of requests that an object with this id may have. */
async function listSubjects(tx: Tx, id: string) {
  const kinds = await approvalKinds.collect(tx, null);
  return kinds.flatMap(({ name, idKind }) => {
    const subject = decodeId(idKind, id);
    return subject === undefined ? [] : [{ kind: name, subject }];
  });
}

/** Returns the current row; an open request ends here if its object was changed or deleted. */
async function refreshRow(tx: Tx, row: store.ApprovalRow): Promise<store.ApprovalRow> {
  if (row.state !== 'open') return row;
  const { account_id: accountId, id } = row;
  const kind = await requireApprovalKind(tx, row.kind);
  if ((await computeDigest(tx, kind, row)) === row.digest) return row;
  const lockedRow = await store.lockApproval(tx, accountId, id);
  if (lockedRow?.state !== 'open') return lockedRow ?? row;
  await endOpenApproval(tx, lockedRow, 'outdated');
  return (await store.findApproval(tx, accountId, id)) ?? row;
}

/** Returns undefined for a deleted object. */
async function computeDigest(
  tx: Tx,
  kind: ApprovalKind,
  { account_id: accountId, subject, input }: store.ApprovalRow,
): Promise<string | undefined> {
  try {
    return await kind.computeDigest(tx, accountId, subject, input);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** Ends the request if it is open and its object was changed or deleted. */
export async function endOutdated(tx: Tx, accountId: number, id: number): Promise<void> {
  const row = await store.findApproval(tx, accountId, id);
  if (row) await refreshRow(tx, row);
}

export async function readRequest(tx: Tx, caller: Caller, id: number): Promise<ApprovalDetail> {
  const storedRow = await store.findApproval(tx, caller.accountId, id);
  if (!storedRow) throw notFound();
  const row = await refreshRow(tx, storedRow);
  const kind = await requireApprovalKind(tx, row.kind);
  const facts =
    row.state === 'open'
      ? await kind.readFacts(tx, caller.accountId, row.subject, row.input)
      : row.facts;
  return presentDetail(tx, caller, row, facts);
}

export async function countRequests(tx: Tx, caller: Caller): Promise<number> {
  const needsFourEyes = await store.readFourEyes(tx, caller.accountId);
  const exceptBy = needsFourEyes ? caller.userId : undefined;
  return store.countOpenApprovals(tx, caller.accountId, [...caller.rights], exceptBy);
}

/** Locks and returns a request that is open and that the caller may decide. */
async function lockedForDecision(tx: Tx, caller: Caller, id: number): Promise<store.ApprovalRow> {
  const row = await lockedOpen(tx, caller.accountId, id);
  requireRight(caller, row.right as Right);
  if (row.asked_by === caller.userId && (await store.readFourEyes(tx, caller.accountId))) {
    throw new AppError('approval_own');
  }
  return row;
}

async function lockedOpen(tx: Tx, accountId: number, id: number): Promise<store.ApprovalRow> {
  const row = await store.lockApproval(tx, accountId, id);
  if (!row) throw notFound();
  if (row.state === 'outdated') throw new AppError('approval_outdated');
  if (row.state === 'expired') throw new AppError('approval_expired');
  if (row.state !== 'open') throw new AppError('approval_decided');
  if (row.expires_at <= clock.now()) throw new AppError('approval_expired');
  return row;
}

/** Locks the object of a request before the request itself; a deleted object cannot be locked. */
async function lockObject(tx: Tx, accountId: number, id: number): Promise<void> {
  const row = await store.findApproval(tx, accountId, id);
  if (!row) throw notFound();
  const kind = await requireApprovalKind(tx, row.kind);
  try {
    await kind.lock(tx, accountId, row.subject);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  }
}

/** @throws approval_grown */
function requireAsShown(facts: ApprovalFacts, shownCount: number | undefined): void {
  const count = getAudienceCount(facts);
  if (count === undefined || shownCount === undefined || isWithinCeiling(facts, shownCount)) return;
  throw new AppError('approval_grown', {
    values: { n: count, shown: shownCount },
    extra: { recipients: count },
  });
}

/**
 * Makes the requested call as the approver, for exactly what was requested.
 * @param recipients the number of recipients that the approver saw; undefined means the number at
 * the time of the request
 */
export async function approve(
  tx: Tx,
  caller: Caller,
  id: number,
  { reason, recipients }: { reason: string; recipients?: number | undefined },
): Promise<ApprovedRequest> {
  const { accountId } = caller;
  await lockObject(tx, accountId, id);
  const row = await lockedForDecision(tx, caller, id);
  const kind = await requireApprovalKind(tx, row.kind);
  if ((await computeDigest(tx, kind, row)) !== row.digest) throw new AppError('approval_outdated');
  const facts = await kind.readFacts(tx, accountId, row.subject, row.input);
  requireAsShown(facts, recipients ?? getAudienceCount(row.facts));
  const ceiling = computeCeiling(facts);
  // An earlier action on an identical selection may continue in the background under its own
  // approval.
  if (!kind.identify) {
    await store.releaseInForce(tx, accountId, { kind: row.kind, subject: row.subject });
  }
  await store.updateApproval(tx, accountId, id, {
    ...{ state: 'approved', decided_by: caller.userId, decided_at: clock.now(), reason },
    ...{ ceiling, is_in_force: facts.hasCeiling },
    ...(await computeStoredInput(tx, row)),
  });
  const callResult = await makeCall(tx, caller, kind, { ...row, ceiling });
  const audienceCount = facts.audience === null ? {} : { count: facts.audience.count };
  const object = describeAuditedObject(kind, row.subject);
  recordChange({ after: { reason: auditedText(reason), ...object, ...audienceCount } });
  sendChangeHint(tx, accountId, 'approval', id);
  // The call may have erased an address from its own request.
  const currentRow = (await store.findApproval(tx, accountId, id)) ?? row;
  const decision = {
    state: 'approved',
    decidedBy: caller.userId,
    reason: currentRow.reason,
  } as const;
  await announceDecision(tx, currentRow, decision);
  return { ...(await presentNow(tx, caller, id)), ...callResult };
}

/**
 * Makes the call. If it is refused, for example because of missing credit, the error contains the
 * reason.
 */
async function makeCall(tx: Tx, caller: Caller, kind: ApprovalKind, row: store.ApprovalRow) {
  try {
    return await kind.run(tx, caller, row.subject, row.input, row);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'missing_right') throw error;
    const { extra } = error.details;
    throw new AppError('approval_impossible', { extra: { ...extra, cause: error.code } });
  }
}

export async function decline(
  tx: Tx,
  caller: Caller,
  id: number,
  reason: string,
): Promise<Approval> {
  const row = await lockedForDecision(tx, caller, id);
  await store.updateApproval(tx, caller.accountId, id, {
    ...{ state: 'declined', decided_by: caller.userId, decided_at: clock.now(), reason },
    ...(await computeStoredInput(tx, row)),
  });
  recordChange({ after: { reason: auditedText(reason) } });
  sendChangeHint(tx, caller.accountId, 'approval', id);
  await announceDecision(tx, row, { state: 'declined', decidedBy: caller.userId, reason });
  return presentNow(tx, caller, id);
}

export async function withdraw(tx: Tx, caller: Caller, id: number): Promise<Approval> {
  const row = await lockedOpen(tx, caller.accountId, id);
  if (row.asked_by !== caller.userId && !hasRight(caller, row))
    requireRight(caller, row.right as Right);
  await endOpenApproval(tx, row, 'withdrawn', { decidedBy: caller.userId });
  return presentNow(tx, caller, id);
}

async function presentNow(tx: Tx, caller: Caller, id: number): Promise<Approval> {
  const row = await store.findApproval(tx, caller.accountId, id);
  if (!row) throw notFound();
  const [approval] = await presentApprovals(tx, caller, [row]);
  return approval as Approval;
}

export async function expireRequests(tx: Tx, accountId: number): Promise<void> {
  for (const row of await store.expireOpenApprovals(tx, accountId, clock.now())) {
    const remainingInput = await computeStoredInput(tx, row);
    if (remainingInput.input !== undefined)
      await store.updateApproval(tx, accountId, row.id, remainingInput);
    sendChangeHint(tx, accountId, 'approval', row.id);
    await announceDecision(tx, row, { state: 'expired', decidedBy: null, reason: '' });
  }
}

/** Ends the approval, because the object's schedule is no longer the approved one. */
export const releaseApproval = (
  tx: Tx,
  accountId: number,
  kind: ApprovalKindName,
  subject: number,
): Promise<void> => store.releaseInForce(tx, accountId, { kind, subject });

/**
 * Returns whether the object may start: it is unchanged since its approval and its recipients do
 * not exceed the ceiling. Objects without an approval may always start.
 */
export async function isWithinApproval(
  tx: Tx,
  accountId: number,
  kindName: ApprovalKindName,
  subject: number,
  count: () => Promise<number>,
): Promise<boolean> {
  const row = await store.findActiveApproval(tx, accountId, { kind: kindName, subject });
  if (!row) return true;
  const kind = await requireApprovalKind(tx, kindName);
  if ((await computeDigest(tx, kind, row)) !== row.digest) return false;
  return row.ceiling === null || (await count()) <= row.ceiling;
}

/** Requests approval again for a start that exceeds the ceiling of its approval. */
export async function requestAgain(
  tx: Tx,
  accountId: number,
  kindName: ApprovalKindName,
  subject: number,
  input: Record<string, unknown>,
): Promise<void> {
  const row = await store.findActiveApproval(tx, accountId, { kind: kindName, subject });
  if (!row) return;
  await store.releaseInForce(tx, accountId, { kind: kindName, subject });
  await insertAgain(tx, row, { subject, input });
}

/** Returns false and inserts nothing if the requesting user has left the account. */
export async function insertAgain(
  tx: Tx,
  row: store.ApprovalRow,
  { subject, input }: { subject: number; input: Record<string, unknown> },
): Promise<boolean> {
  const { account_id: accountId, note } = row;
  const rights = await readRights(tx, { accountId, userId: row.asked_by });
  if (rights.size === 0) return false;
  const requester = { userId: row.asked_by, via: row.asked_via, viaId: row.asked_via_id };
  await insertRequest(tx, await requireApprovalKind(tx, row.kind), {
    ...{ accountId, subject, input, note, requester, right: row.right as Right },
  });
  return true;
}
