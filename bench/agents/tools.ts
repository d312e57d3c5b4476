// Compares a tool of an assistant with the API call that the tool makes. The requests are those of
// the MCP SDK's client, in both revisions of MCP.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createMcpServer } from '#areas/agents/server/mcp.ts';
import { TOOLS } from '#areas/agents/server/tools/index.ts';
import { AGENT_RIGHTS } from '#areas/agents/shared.ts';
import type { Measurement } from './figure.ts';
import { median, measureDuration } from '../kit/figures.ts';
import { newOwner } from '../kit/owner.ts';
import { createApiCall, createToken } from './clients.ts';

const SEGMENTS = 20;
const MAX_OVERHEAD_MS = 1.5;
const MAX_SERVER_MS = 0.2;
const MAX_LIST_KB = 40;
const SERVERS = 2_000;
/**
 * Each round makes this many direct API calls and as many tool calls. Each round has a separate
 * token, because a token may make only 300 calls per minute.
 */
const PER_TOKEN = 100;
const PROTOCOL_VERSIONS = { '2026-07-28': 'auto', '2025-11-25': 'legacy' } as const;

export async function measureTools(
  { app, base }: { app: FastifyInstance; base: string },
  { rounds }: { rounds: number },
): Promise<Measurement[]> {
  const owner = await newOwner(base);
  const call = createApiCall(base, owner.headers);
  for (let i = 0; i < SEGMENTS; i++)
    await call('POST', '/client-api/api/filters', {
      title: `Segment ${i}`,
      conditions: `email,ends,x${i}.example,1,and,and,`,
    });
  const measurements: Measurement[] = [
    {
      name: `CPU time for creating a server with all ${TOOLS.length} tools`,
      ...{ value: serverCpu(app), unit: 'ms', max: MAX_SERVER_MS },
    },
  ];
  for (const [revision, mode] of Object.entries(PROTOCOL_VERSIONS)) {
    const token = () => createToken(base, owner, AGENT_RIGHTS);
    const overhead = await overheadOf(base, token, { mode, rounds });
    const list = await requestOf(base, await token(), mode, (client) => client.listTools());
    const kilobytes = Buffer.byteLength(await (await list()).text()) / 1_000;
    measurements.push(
      {
        name: `overhead of list_segments compared with GET /filters, ${revision}`,
        ...{ value: overhead.tool - overhead.plain, unit: 'ms', max: MAX_OVERHEAD_MS },
        baseline: { value: overhead.plain, ratio: overhead.tool / overhead.plain },
      },
      { name: `tools/list, ${revision}`, value: kilobytes, unit: 'KB', max: MAX_LIST_KB },
    );
  }
  return measurements;
}

/** Measures the milliseconds of CPU that creating one server with all tools takes. */
function serverCpu(app: FastifyInstance): number {
  const caller = {
    ...{ accountId: 1, userId: 1, via: 'token' as const, sessionId: 1, language: 'eng' as const },
    rights: new Set(AGENT_RIGHTS),
  };
  const running = { app, caller, request: {} as FastifyRequest };
  const authInfo = { token: '', clientId: '', scopes: [], extra: { running } };
  const create = () => {
    for (let i = 0; i < SERVERS; i++) createMcpServer({ era: 'modern', authInfo });
  };
  create();
  const startUsage = process.cpuUsage();
  create();
  const { user, system } = process.cpuUsage(startUsage);
  return (user + system) / 1_000 / SERVERS;
}

type Mode = (typeof PROTOCOL_VERSIONS)[keyof typeof PROTOCOL_VERSIONS];

async function overheadOf(
  base: string,
  token: () => Promise<string>,
  { mode, rounds }: { mode: Mode; rounds: number },
): Promise<{ plain: number; tool: number }> {
  const apiMs: number[] = [];
  const tool: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const secret = await token();
    const headers = { authorization: `Bearer ${secret}` };
    const run = await requestOf(base, secret, mode, (client) =>
      client.callTool({ name: 'list_segments', arguments: {} }),
    );
    for (let i = 0; i < PER_TOKEN; i++) {
      apiMs.push(
        await measureDuration(async () => {
          const response = await fetch(`${base}/client-api/api/filters?limit=20`, { headers });
          if (!response.ok) throw new Error(await response.text());
          await response.text();
        }),
      );
      tool.push(
        await measureDuration(async () => {
          const text = await (await run()).text();
          if (!text.includes('Segment 1')) throw new Error(text);
        }),
      );
    }
  }
  return { plain: median(apiMs), tool: median(tool) };
}

/**
 * Performs the action with the MCP SDK's client and records its last HTTP request. Returns a
 * function that resends this request with `fetch`, so that measurements exclude the client's
 * processing.
 */
async function requestOf(
  base: string,
  token: string,
  mode: Mode,
  action: (client: Client) => Promise<unknown>,
): Promise<() => Promise<Response>> {
  let lastRequest: RequestInit | undefined;
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode } });
  const url = new URL(`${base}/mcp`);
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch: (address, init) => {
      lastRequest = init;
      return fetch(address, init);
    },
  });
  await client.connect(transport);
  await action(client);
  const { method, headers, body } = lastRequest ?? {};
  await client.close();
  return async () => {
    const response = await fetch(url, { method, headers, body } as RequestInit);
    if (!response.ok) throw new Error(await response.text());
    return response;
  };
}
