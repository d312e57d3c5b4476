// Requests for approval: a caller without the right to a call may request it from users who have
// the right. The request is committed before the call ends with an error.
import type { FastifyRequest } from 'fastify';
import type { Call } from '../../contract.ts';
import { type Right, getRight } from '../../rights.ts';
import { type Db, inTransaction } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { defineQuestion } from '../events.ts';
import { requireRight } from './rights.ts';
import type { Caller } from './serve.ts';

/** A call to be made after its approval. */
export type RequestedCall = {
  caller: Caller;
  kind: string;
  /** Right that an approver needs. */
  approverRight: Right;
  /** The id in the call's path; undefined if the call has none, but a selection in its body. */
  subject: number | undefined;
  /** The validated body. */
  input: Record<string, unknown>;
  note: string;
  ip: string;
};

/** Handled by the approvals area, which files the request and returns its id. */
export const approvalRequested = defineQuestion<RequestedCall, string>('approval_requested');

const MAX_NOTE_LENGTH = 500;

type Query = { ask?: unknown; note?: unknown };
const queryOf = (request: FastifyRequest) => (request.query ?? {}) as Query;
const isApprovalRequested = (request: FastifyRequest) => queryOf(request).ask === '1';

/**
 * Returns true if the call is filed as a request instead of being made: the caller requests an
 * approval, or is a program without the right.
 */
export function isApprovalRequest(call: Call, caller: Caller, request: FastifyRequest): boolean {
  const right = getRight(call);
  if (!call.approval || !right) return false;
  return isApprovalRequested(request) || (!caller.rights.has(right) && caller.via !== 'session');
}

/** @throws missing_right; approval_needed for a user who may request the call */
export function requireRightOrRequest(call: Call, caller: Caller, request: FastifyRequest): void {
  const right = getRight(call);
  if (!right) return;
  const { approval } = call;
  if (!approval || !caller.rights.has(approval.requesterRight)) return requireRight(caller, right);
  if (caller.rights.has(right) || isApprovalRequest(call, caller, request)) return;
  throw new AppError('approval_needed', { extra: { right } });
}

/**
 * Files the request.
 * @throws approval_requested with the id of the request, or the error that explains why the
 * approvals area refuses it
 */
export async function requestApproval(
  db: Db,
  call: Call,
  input: { caller: Caller; request: FastifyRequest; params: unknown; body: unknown },
): Promise<never> {
  const { caller, request, params, body } = input;
  const { note } = queryOf(request);
  const requestedCall: RequestedCall = {
    caller,
    kind: call.approval?.kind ?? '',
    approverRight: getRight(call) as Right,
    subject: (params as { id: number } | undefined)?.id,
    input: (body ?? {}) as Record<string, unknown>,
    note: typeof note === 'string' ? note.trim().slice(0, MAX_NOTE_LENGTH) : '',
    ip: request.ip,
  };
  const [approval] = await inTransaction(db, (tx) => approvalRequested.collect(tx, requestedCall));
  throw new AppError('approval_requested', { extra: { approval } });
}
