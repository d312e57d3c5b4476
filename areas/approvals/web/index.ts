// Exports of the approvals area for screens: the button that requests an approval, the note about
// the newest request, the registration of finding lists, and the dialog about content with an
// erased address.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';

export { registerFindings } from './finding-lists.ts';
export { useFoundContents } from './found-contents.ts';
export type { RequestableCall } from './queries.ts';

export const RequestApproval = lazyWithRetry(() => import('./request-approval.tsx'));
export const ApprovalNote = lazyWithRetry(() => import('./approval-note.tsx'));
