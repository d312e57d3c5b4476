// The endpoints of approvals.
import { clock } from '#platform/server/clock.ts';
import { type Route, serve } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import * as approvals from './approvals.ts';
import { readFourEyes, saveFourEyes } from './approvals.sql.ts';

export const approvalRoutes: Route[] = serve('approvals', calls, {
  listApprovals: ({ tx, who, query }) => approvals.listRequests(tx, who, query),
  countApprovals: async ({ tx, who }) => ({ count: await approvals.countRequests(tx, who) }),
  readApprovalSettings: async ({ tx, who }) => ({
    needs_four_eyes: await readFourEyes(tx, who.accountId),
  }),
  saveApprovalSettings: async ({ tx, who, body }) => {
    await saveFourEyes(tx, who.accountId, body.needs_four_eyes, clock.now());
    return body;
  },
  readApproval: ({ tx, who, params }) => approvals.readRequest(tx, who, params.id),
  approve: ({ tx, who, params, body }) => approvals.approve(tx, who, params.id, body),
  decline: ({ tx, who, params, body }) => approvals.decline(tx, who, params.id, body.reason),
  withdraw: ({ tx, who, params }) => approvals.withdraw(tx, who, params.id),
});
