// Public web interface of approvals: the button that requests an approval, the state of a request,
// the findings of other areas, and what an erasure leaves.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';

export { offerFindings } from './finding-lists.ts';
export { useFoundContents } from './found-contents.ts';
export type { RequestableCall } from './queries.ts';

export const RequestApproval = lazyWithRetry(() => import('./request-approval.tsx'));
export const ApprovalNote = lazyWithRetry(() => import('./approval-note.tsx'));
