// Kinds of requests. Each area registers its kinds: how a request is shown and how its call is
// made.
import { createHash } from 'node:crypto';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { defineQuestion } from '#platform/server/events.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import type { Kind } from '#platform/ids.ts';
import type { ApprovalDetail, ApprovedRequest } from '../contract.ts';
import type { ApprovalKindName, OUTLINE_PARTS } from '../shared.ts';

export type OutlineLine = { part: (typeof OUTLINE_PARTS)[number]; text: string };

/** The data that a user decides on. */
export type ApprovalFacts = Pick<
  ApprovalDetail,
  'audience' | 'cost' | 'findings' | 'previews' | 'scheduled'
> & {
  title: string;
  /** Screen of the object. */
  path: string;
  /** Digest of content and recipients; the request is outdated once it changes. */
  digest: string;
  /**
   * Whether another decision is needed if the audience grows beyond the ceiling before the approval
   * or the start.
   */
  hasCeiling: boolean;
  /** The requested send time; the request expires then. */
  passesAt: string | null;
  outline: OutlineLine[];
  hosts: string[];
};

export type ComparedOutline = {
  comparedWith: 'sent' | 'active';
  outline: OutlineLine[];
  hosts: readonly string[];
};

type ApprovedResponse = Pick<ApprovedRequest, 'found_in'>;

export type ApprovalKind = {
  name: ApprovalKindName;
  /** Kind of its objects' ids. */
  idKind: Kind;
  /**
   * For calls with a selection in the body: returns the number that identifies the selection, the
   * same for identical selections, and the input to store.
   * @throws errors that the call itself would report
   */
  identify?(
    tx: Tx,
    accountId: number,
    input: Record<string, unknown>,
  ): Promise<{ subject: number; input: Record<string, unknown> }>;
  /**
   * Whether input and outline can name subscribers. Such input is stored only while the request is
   * open; such an outline is never stored.
   */
  isAboutPeople?: true;
  /** Returns some of the affected subscribers. */
  listSubscribers?(
    tx: Tx,
    accountId: number,
    input: Record<string, unknown>,
    id: number,
  ): Promise<{ id: number; title: string }[]>;
  /**
   * Locks the object and all rows that its digest covers until the transaction ends. Called before
   * the row of the request is locked, so that requesting, deciding and editing lock in the same
   * order.
   * @throws not_found
   */
  lock(tx: Tx, accountId: number, id: number): Promise<void>;
  /**
   * Called with the object locked.
   * @throws errors that the call itself would report
   */
  requirePossible(
    tx: Tx,
    accountId: number,
    id: number,
    input: Record<string, unknown>,
  ): Promise<void>;
  /** @throws not_found */
  readFacts(
    tx: Tx,
    accountId: number,
    id: number,
    input: Record<string, unknown>,
  ): Promise<ApprovalFacts>;
  /** Returns the same digest as `readFacts`, at a lower cost. */
  computeDigest(
    tx: Tx,
    accountId: number,
    id: number,
    input: Record<string, unknown>,
  ): Promise<string>;
  /**
   * Returns the version that subscribers received last, or that was active last, for comparison.
   */
  readPreviousOutline(tx: Tx, accountId: number, id: number): Promise<ComparedOutline | undefined>;
  /**
   * Makes the call as the user who approved it and returns the part of its response that the user
   * needs.
   * @param approval id and ceiling of the approval, for calls that continue in the background. The
   * ceiling is the maximum number of subscribers; null means any number
   */
  run(
    tx: Tx,
    caller: Caller,
    id: number,
    input: Record<string, unknown>,
    approval: { id: number; ceiling: number | null },
  ): Promise<ApprovedResponse | void>;
};

export const approvalKinds = defineQuestion<null, ApprovalKind>('approval_kinds');

export async function requireApprovalKind(tx: Tx, name: string): Promise<ApprovalKind> {
  const kinds = await approvalKinds.collect(tx, null);
  const kind = kinds.find((kind) => kind.name === name);
  if (!kind) throw new AppError('not_found');
  return kind;
}

export const hashState = (state: unknown): string =>
  createHash('sha256').update(JSON.stringify(state)).digest('base64url');
