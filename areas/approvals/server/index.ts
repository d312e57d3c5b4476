// Public interface of approvals for areas with calls that can be requested.
import { subscribersErased } from '#areas/subscribers/server/index.ts';
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import { approvalRequested } from '#platform/server/http/approvals.ts';
import { fileRequest } from './approvals.ts';
import { eraseFromRequests } from './erase-people.ts';
import { expiryPoller, outdatedPoller } from './expiry.ts';
import { approvalRoutes } from './routes.ts';
import { addressesErased, eraseFromTexts } from '#platform/server/erasure/erasure.ts';
import { rewriteInputs } from './approvals.sql.ts';

export const area: Area = {
  name: 'approvals',
  description: 'Requests to approve an action that the requester has no right to take.',
  routes: approvalRoutes,
  pollers: [expiryPoller, outdatedPoller],
  eventHandlers: [
    on(subscribersErased, eraseFromRequests),
    on(addressesErased, eraseFromTexts(rewriteInputs)),
  ],
  questionHandlers: [
    handleQuestion(approvalRequested, async (tx, call) => [await fileRequest(tx, call)]),
  ],
};

export {
  getRemainingCeiling,
  expireAffectedRequests,
  lockApprovalRequests,
  releaseAction,
  requestRemainder,
  useApproval,
} from './approved-acts.ts';
export { isWithinApproval, releaseApproval, requestAgain } from './approvals.ts';
export { approvalDecided, approvalFiled } from './events.ts';
export {
  type ApprovalFacts,
  type ApprovalKind,
  approvalKinds,
  type ComparedOutline,
  hashState,
  type OutlineLine,
} from './kinds.ts';
