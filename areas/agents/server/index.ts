// Public interface of agents: assistants that work on an account over MCP.
import type { Area } from '#platform/server/area.ts';
import { housekeepingPoller } from './housekeeping.ts';
import { mcpPlugin } from './mcp.ts';

export const area: Area = {
  name: 'agents',
  plugins: [mcpPlugin],
  pollers: [housekeepingPoller],
};
