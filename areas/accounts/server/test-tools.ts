// Lists the built-in test tools of this installation that a browser can open.
import type { FastifyRequest } from 'fastify';
import type { Config } from '#platform/server/config.ts';
import { linkTestTools } from '#platform/server/http/test-tool-links.ts';
import { isFromThisMachine } from '#platform/server/http/this-machine.ts';
import { TEST_TOOLS, type TestTool } from '../shared.ts';

let tools: readonly TestTool[] = [];

export function configureTestTools({ isProduction, smtpUrl, smsUrl, billing }: Config): void {
  const isBuiltIn: Record<TestTool, boolean> = {
    inbox: !isProduction && smtpUrl === undefined,
    phone: !isProduction && smsUrl === undefined,
    cards: billing.mode === 'test',
    shop: !isProduction,
    hooks: !isProduction,
  };
  tools = TEST_TOOLS.filter((tool) => isBuiltIn[tool]);
  linkTestTools(tools);
}

/** Returns no tools for requests from other machines, which get a 404 from all tools. */
export const testToolsFor = (request: FastifyRequest): TestTool[] =>
  isFromThisMachine(request) ? [...tools] : [];
