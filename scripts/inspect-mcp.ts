// `npm run inspect-mcp -- /path/to/mcp-inspector`: runs the official MCP Inspector in its
// command-line mode against a product, with an API token, in both protocol revisions. The Inspector
// is installed separately (`npm install @modelcontextprotocol/inspector@2.12.0`) because this is a
// manual check.
import { spawn } from 'node:child_process';
import { startProduct } from '#testing/setup/product.ts';
import { newOwner } from '../bench/kit/owner.ts';

const REVISIONS = { '2026-07-28': 'modern', '2025-11-25': 'legacy' } as const;
/** The Inspector's exit code for a tool result with `isError`. */
const TOOL_ERROR = 5;
const BLOCKS = [
  { type: 'heading', text: 'Spring' },
  { type: 'button', text: 'See teas', url: 'https://tea.example/' },
];
const DRAFT = { title: 'Spring', subject: 'Spring tea', blocks: BLOCKS };

type InspectionStep = { args: string[]; expectedOutput: string; exitCode?: number };

const STEPS: InspectionStep[] = [
  { args: ['--method', 'tools/list', '--strict'], expectedOutput: 'account_overview' },
  { args: ['--method', 'resources/list'], expectedOutput: 'guide://blocks' },
  { args: ['--method', 'resources/read', '--uri', 'guide://conditions'], expectedOutput: 'group' },
  { args: ['--method', 'resources/read', '--uri', 'account://brand'], expectedOutput: 'colors' },
  { args: ['--method', 'prompts/list'], expectedOutput: 'weekly_report' },
  {
    args: ['--method', 'prompts/get', '--prompt-name', 'win_back', '--prompt-args', 'notes=Teas'],
    expectedOutput: 'Teas',
  },
  {
    args: ['--method', 'tools/call', '--tool-name', 'account_overview'],
    expectedOutput: 'subscribers',
  },
  {
    args: [
      ...['--method', 'tools/call', '--tool-name', 'draft_campaign'],
      ...['--tool-args-json', JSON.stringify(DRAFT)],
    ],
    expectedOutput: 'DRAFT',
  },
  {
    args: [
      ...['--method', 'tools/call', '--tool-name', 'get_campaign'],
      ...['--tool-arg', 'campaign_id=none'],
    ],
    expectedOutput: 'not_found',
    exitCode: TOOL_ERROR,
  },
];

const inspector = process.argv[2];
if (!inspector) throw new Error('Usage: npm run inspect-mcp -- /path/to/mcp-inspector');
const product = await startProduct();
try {
  const token = await tokenOf(product.address);
  let failedCount = 0;
  for (const [revision, era] of Object.entries(REVISIONS)) {
    for (const { args, expectedOutput, exitCode = 0 } of STEPS) {
      const header = `Authorization: Bearer ${token}`;
      const result = await inspect([
        ...[`${product.address}/mcp`, '--protocol-era', era, '--header', header],
        ...['--format', 'json', ...args],
      ]);
      const isExpected = result.exitCode === exitCode && result.output.includes(expectedOutput);
      if (!isExpected) failedCount += 1;
      console.log(`${revision}  ${isExpected ? 'ok    ' : 'FAILED'}  ${args.slice(1).join(' ')}`);
      if (!isExpected)
        console.log(`exit code ${result.exitCode}\n${result.output}\n${result.errors}`);
    }
  }
  const rejection = await inspect([
    `${product.address}/mcp`,
    '--method',
    'tools/list',
    '--stored-auth-only',
  ]);
  const isRefused = rejection.errors.includes('auth_required');
  console.log(
    `without a token: ${isRefused ? 'refused' : 'accepted, although a refusal is expected'}`,
  );
  if (failedCount > 0 || !isRefused) process.exitCode = 1;
} finally {
  await product.remove();
}

async function tokenOf(base: string): Promise<string> {
  const { headers } = await newOwner(base);
  const response = await fetch(`${base}/client-api/api/tokens`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ title: 'Inspector', validity_days: 1, scopes: ['read', 'people', 'drafts'] },
    }),
  });
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { data: { token: string } }).data.token;
}

type InspectionResult = { exitCode: number | null; output: string; errors: string };

function inspect(args: string[]): Promise<InspectionResult> {
  const child = spawn(inspector as string, ['--cli', ...args]);
  const result: InspectionResult = { exitCode: null, output: '', errors: '' };
  child.stdout.on('data', (part) => {
    result.output += part;
  });
  child.stderr.on('data', (part) => {
    result.errors += part;
  });
  return new Promise((resolve) => {
    child.once('close', (exitCode) => resolve({ ...result, exitCode }));
  });
}
