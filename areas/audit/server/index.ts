// Public interface of the audit log, which records actions and lets administrators read them.
import { actionAudited } from '#platform/server/audit.ts';
import { type Area, on } from '#platform/server/area.ts';
import { clock } from '#platform/server/clock.ts';
import { insertAct } from './audit.sql.ts';
import { retentionPoller } from './retention.ts';
import { auditRoutes } from './routes.ts';

export const area: Area = {
  name: 'audit',
  description: 'The audit log of actions by users, API tokens and assistants.',
  routes: auditRoutes,
  pollers: [retentionPoller],
  eventHandlers: [on(actionAudited, (tx, act) => insertAct(tx, act, clock.now()))],
};
