// The endpoints of approvals.
import { clock } from '#platform/server/clock.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import * as approvals from './approvals.ts';
import { readFourEyes, saveFourEyes } from './approvals.sql.ts';

export const approvalRoutes: Route[] = createRoutes('approvals', calls, {
  listApprovals: ({ tx, caller, query }) => approvals.listRequests(tx, caller, query),
  countApprovals: async ({ tx, caller }) => ({ count: await approvals.countRequests(tx, caller) }),
  readApprovalSettings: async ({ tx, caller }) => ({
    needs_four_eyes: await readFourEyes(tx, caller.accountId),
  }),
  saveApprovalSettings: async ({ tx, caller, body }) => {
    await saveFourEyes(tx, caller.accountId, body.needs_four_eyes, clock.now());
    return body;
  },
  readApproval: ({ tx, caller, params }) => approvals.readRequest(tx, caller, params.id),
  approve: ({ tx, caller, params, body }) => approvals.approve(tx, caller, params.id, body),
  decline: ({ tx, caller, params, body }) => approvals.decline(tx, caller, params.id, body.reason),
  withdraw: ({ tx, caller, params }) => approvals.withdraw(tx, caller, params.id),
});
