// The official MCP client, connected to the test's server over HTTP.
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { TestServer } from './server.ts';
import { runAtEnd } from './at-the-end.ts';

/** Returns the address of the server, starting it if necessary. */
export async function listening(server: TestServer): Promise<string> {
  const address = server.app.server.address();
  if (address && typeof address === 'object') return `http://127.0.0.1:${address.port}`;
  return await server.app.listen({ port: 0, host: '127.0.0.1' });
}

// oxlint-disable-next-line typescript/no-explicit-any -- Tests inspect any result freely.
export type ToolResponse = { isError: boolean; value: any; text: string };

export type Assistant = {
  client: Client;
  tool(name: string, input?: Record<string, unknown>): Promise<ToolResponse>;
};

/** @param era the protocol revision: modern is 2026-07-28, legacy 2025-11-25 */
export async function assistant(
  server: TestServer,
  token: string,
  era: 'modern' | 'legacy' = 'modern',
): Promise<Assistant> {
  const versions: ClientOptions =
    era === 'legacy'
      ? { versionNegotiation: { mode: 'legacy' } }
      : { versionNegotiation: { mode: 'auto' } };
  const client = new Client({ name: 'test', version: '1' }, versions);
  const url = new URL(`${await listening(server)}/mcp`);
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  runAtEnd(() => client.close());
  return {
    client,
    async tool(name, input = {}) {
      const result = await client.callTool({ name, arguments: input });
      const text = JSON.stringify(result.content);
      return { isError: result.isError === true, value: result.structuredContent, text };
    },
  };
}
