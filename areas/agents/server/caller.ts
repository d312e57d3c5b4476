// Authenticates a request to /mcp by an API token or an access token in its Authorization header.
// A session cookie is never accepted.
import type { FastifyRequest } from 'fastify';
import { authenticate } from '#areas/accounts/server/index.ts';
import type { Db } from '#platform/server/database/database.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import { AGENT_RIGHTS } from '../shared.ts';
import { findAgentByGrant } from './oauth/access.ts';

const BEARER = /^Bearer\s+(\S+)$/i;
const API_TOKEN = /^sl_\d+_/;

/** Returns the caller, reduced to the rights that tools use. */
export async function authenticateAgent(
  request: FastifyRequest,
  db: Db,
): Promise<Caller | undefined> {
  const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
  if (!token) return undefined;
  const caller = API_TOKEN.test(token)
    ? await authenticate(request, db)
    : await findAgentByGrant(db, token, { publicUrl: request.server.publicUrl, ip: request.ip });
  if (!caller || caller.via === 'session') return undefined;
  return { ...caller, rights: new Set(AGENT_RIGHTS.filter((right) => caller.rights.has(right))) };
}

/** Identifies the token or connection in budgets and limits. */
export const callerKey = ({ via, sessionId }: Caller) => `${via}:${sessionId}`;
