// Public web interface of approvals: the button that requests an approval, the state of a request,
// and the findings of other areas.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';

export { offerFindings } from './finding-lists.ts';
export type { RequestableCall } from './queries.ts';

export const RequestApproval = lazyWithRetry(() => import('./request-approval.tsx'));
export const ApprovalNote = lazyWithRetry(() => import('./approval-note.tsx'));
