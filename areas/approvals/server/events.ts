// Approval events; higher areas send emails, browser notifications and webhooks for them.
import { defineEvent } from '#platform/server/events.ts';
import type { ApprovalKindName } from '../shared.ts';

type ApprovalEvent = {
  accountId: number;
  approvalId: number;
  kind: ApprovalKindName;
  title: string;
  requesterId: number;
  note: string;
};

/**
 * A request was created. `program`: name of the token or assistant that created it for the user.
 * `deciders`: users who may decide it.
 */
export const approvalFiled = defineEvent<
  ApprovalEvent & { program?: string | undefined; deciders: number[] }
>('approvals.filed');

/**
 * A request was approved or declined by a user, or it ended because it expired or its object
 * changed.
 */
export const approvalDecided = defineEvent<
  ApprovalEvent & {
    state: 'approved' | 'declined' | 'outdated' | 'expired';
    decidedBy: number | null;
    reason: string;
  }
>('approvals.decided');
