// Exports of approvals' web half: the button that asks, and the state of the request.
import { late } from '#platform/web/shell/lazy-with-retry.ts';

export const RequestApproval = late(() => import('./request-approval.tsx'));
export const ApprovalNote = late(() => import('./approval-note.tsx'));
