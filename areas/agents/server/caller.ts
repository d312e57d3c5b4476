// The caller of a request to /mcp: by an API token as bearer. Cookies are never read.
import type { FastifyRequest } from 'fastify';
import { authenticate } from '#areas/accounts/server/index.ts';
import type { Db } from '#platform/server/database/database.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import { AGENT_RIGHTS } from '../shared.ts';

const BEARER = /^Bearer\s+\S+$/i;

/** Only with rights that tools use, whatever the token's others are. */
export async function agentOf(request: FastifyRequest, db: Db): Promise<Caller | undefined> {
  if (!BEARER.test(request.headers.authorization ?? '')) return undefined;
  const caller = await authenticate(request, db);
  if (!caller || caller.via === 'session') return undefined;
  return { ...caller, rights: new Set(AGENT_RIGHTS.filter((right) => caller.rights.has(right))) };
}

/** Names the token or grant in budgets and limits. */
export const callerKey = ({ via, sessionId }: Caller) => `${via}:${sessionId}`;
