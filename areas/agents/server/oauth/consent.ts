// The consent screen for an assistant, and the list of connected assistants.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readAccount, requireLiveSession, findUsersById } from '#areas/accounts/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Reader } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import type { ConnectionRequest, AssistantConnection } from '../../contract.ts';
import { AGENT_RIGHTS, type AgentRight } from '../../shared.ts';
import { computeConnectionEnd, endConnection, stateKey } from './adapter.ts';
import * as grants from './grants.sql.ts';
import { getAuthorizationServer, endGrant, mcpResource } from './provider.ts';
import { extendState } from './state.sql.ts';
import { formatSubject } from './subject.ts';

type Exchange = { db: Db; request: FastifyRequest; reply: FastifyReply };

const MAX_NAME_LENGTH = 80;
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Returns the request of this browser. A cookie binds the request to the browser, so a link copied
 * from another browser finds no request.
 */
async function findPendingRequest({ db, request, reply }: Exchange, uid: string) {
  const server = getAuthorizationServer(db, request.server.publicUrl);
  const interaction = await server
    .interactionDetails(request.raw, reply.raw)
    .catch(() => undefined);
  if (!interaction || interaction.uid !== uid) throw new AppError('request_expired');
  const clientId = String(interaction.params.client_id);
  const client = await server.Client.find(clientId);
  if (!client) throw new AppError('request_expired');
  const redirect = new URL(String(interaction.params.redirect_uri));
  const requestedScopes = String(interaction.params.scope ?? '').split(' ');
  return {
    server,
    clientId,
    name: nameOf(client.clientName, clientId),
    host: redirect.host || redirect.protocol.replace(':', ''),
    isLoopback: LOOPBACK.has(redirect.hostname),
    scopes: AGENT_RIGHTS.filter((right) => requestedScopes.includes(right)),
  };
}

/**
 * Removes invisible characters and line breaks from a name, because the client chooses it. Returns
 * the client ID if nothing remains.
 */
const nameOf = (name: string | undefined, id: string) =>
  (name ?? '').replace(/\p{C}/gu, '').trim().slice(0, MAX_NAME_LENGTH) ||
  id.slice(0, MAX_NAME_LENGTH);

export async function readRequest(
  exchange: Exchange,
  caller: Caller,
  uid: string,
): Promise<ConnectionRequest> {
  const { name, host, isLoopback, scopes } = await findPendingRequest(exchange, uid);
  const account = await readAccount(exchange.db, caller.accountId);
  return {
    client_name: name,
    redirect_host: host,
    is_loopback: isLoopback,
    scopes: scopes.filter((right) => caller.rights.has(right)),
    account: account.title,
  };
}

/**
 * Connects the assistant with the chosen scopes, or refuses it. Returns the URL where the browser
 * continues.
 */
export async function completeConsent(
  exchange: Exchange,
  caller: Caller,
  uid: string,
  selectedScopes: readonly AgentRight[] | null,
): Promise<{ url: string }> {
  const { db, request, reply } = exchange;
  const { server, clientId, name, host, scopes } = await findPendingRequest(exchange, uid);
  const finish = async (result: Record<string, unknown>) => ({
    url: await server.interactionResult(request.raw, reply.raw, result),
  });
  if (selectedScopes === null)
    return finish({ error: 'access_denied', error_description: 'The user has refused' });
  const grantedScopes = scopes.filter(
    (right) => selectedScopes.includes(right) && caller.rights.has(right),
  );
  if (grantedScopes.length === 0) throw new AppError('no_scope');
  const accountId = formatSubject(caller.accountId, caller.userId);
  const grant = new server.Grant({ accountId, clientId });
  grant.addResourceScope(mcpResource(request.server.publicUrl), grantedScopes.join(' '));
  const grantId = await grant.save();
  const connection = {
    account_id: caller.accountId,
    user_id: caller.userId,
    oauth_grant: grantId,
    client_id: clientId,
    client_name: name,
    redirect_host: host,
    scopes: grantedScopes,
    created_at: clock.now(),
  };
  try {
    await inTransaction(db, async (tx) => {
      await requireLiveSession(tx, caller);
      await grants.insertGrant(tx, connection);
    });
  } catch (error) {
    await endConnection(db, grantId);
    throw error;
  }
  await extendState(db, stateKey('Client', clientId), computeConnectionEnd(clock.now()));
  return finish({ login: { accountId, remember: false }, consent: { grantId } });
}

/** Lists the caller's own connections; administrators get the connections of all users. */
export async function listConnections(db: Reader, caller: Caller): Promise<AssistantConnection[]> {
  const userId = caller.rights.has('admin') ? undefined : caller.userId;
  const rows = await grants.listGrants(db, caller.accountId, userId);
  const users = await findUsersById(db, [...new Set(rows.map((row) => row.user_id))]);
  const emailOf = new Map(users.map(({ id, email }) => [id, email]));
  return rows.map((row) => ({
    id: encodeId('agent_grant', row.id),
    client_name: row.client_name,
    redirect_host: row.redirect_host,
    scopes: AGENT_RIGHTS.filter((right) => row.scopes.includes(right)),
    user: emailOf.get(row.user_id) ?? null,
    is_yours: row.user_id === caller.userId,
    created: row.created_at.toISOString(),
    last_used: row.last_used_at?.toISOString() ?? null,
  }));
}

/** @throws not_found for a connection of another user, unless the caller has the right `admin` */
export async function disconnect(db: Db, caller: Caller, id: number): Promise<void> {
  const grant = await grants.findGrant(db, caller.accountId, id);
  const isOwn = grant?.user_id === caller.userId;
  if (!grant || !(isOwn || caller.rights.has('admin'))) throw notFound();
  await endGrant(db, grant);
}
