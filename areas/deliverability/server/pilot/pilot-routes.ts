// Routes of the autopilot.
import { type Handlers, type Route, serve } from '#platform/server/http/serve.ts';
import { calls } from '../../pilot-contract.ts';
import { applyMove, listPilots, setMode, undoMove } from './control.ts';

const handlers: Handlers<typeof calls> = {
  listPilots: ({ tx, who }) => listPilots(tx, who.accountId),
  setPilotMode: ({ tx, who, body }) => setMode(tx, who, body),
  applyPilotMove: ({ tx, who, params }) => applyMove(tx, who, params.id),
  undoPilotMove: ({ tx, who, params }) => undoMove(tx, who, params.id),
};

export const pilotRoutes: Route[] = serve('deliverability', calls, handlers);
