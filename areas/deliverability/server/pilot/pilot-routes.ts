// Serves the calls of the autopilot.
import { type Handlers, type Route, createRoutes } from '#platform/server/http/serve.ts';
import { calls } from '../../pilot-contract.ts';
import { applyMove, listPilots, setMode, undoMove } from './control.ts';

const handlers: Handlers<typeof calls> = {
  listPilots: ({ tx, caller }) => listPilots(tx, caller.accountId),
  setPilotMode: ({ tx, caller, body }) => setMode(tx, caller, body),
  applyPilotMove: ({ tx, caller, params }) => applyMove(tx, caller, params.id),
  undoPilotMove: ({ tx, caller, params }) => undoMove(tx, caller, params.id),
};

export const pilotRoutes: Route[] = createRoutes('deliverability', calls, handlers);
