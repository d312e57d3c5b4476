// The public interface of agents: assistants that work on an account over MCP.
import { assistantNames, accessKeysEnded } from '#areas/accounts/server/index.ts';
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import { clock } from '#platform/server/clock.ts';
import { housekeepingPoller } from './housekeeping.ts';
import { mcpPlugin } from './mcp.ts';
import { listGrantNames, revokeGrantsOfUser } from './oauth/grants.sql.ts';
import { oauthPlugin } from './oauth/plugin.ts';
import { agentRoutes } from './routes.ts';

export const area: Area = {
  name: 'agents',
  description: 'Connected AI assistants and their requests.',
  routes: agentRoutes,
  plugins: [mcpPlugin, oauthPlugin],
  pollers: [housekeepingPoller],
  questionHandlers: [
    handleQuestion(assistantNames, (tx, { accountId, ids }) => listGrantNames(tx, accountId, ids)),
  ],
  eventHandlers: [
    // Without `ids`, the user lost all access to the account, including that of assistants.
    on(accessKeysEnded, async (tx, { accountId, userId, ids }) => {
      if (ids === undefined) await revokeGrantsOfUser(tx, accountId, userId, clock.now());
    }),
  ],
};
