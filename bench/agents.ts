// Measures the cost of rights, approvals, the audit log and assistants: the list of tools, and the
// server with all tools that each request to /mcp creates; a tool compared with the API call that
// it makes; calls that write the audit row compared with calls that do not; searches of a large
// audit log compared with hand-written SQL; and a request for approval of a campaign to very many
// subscribers. npm run bench -- agents [--json] [--rounds 7] [--people 1000000] [--acts 10000000]
import { parseArgs } from 'node:util';
import { measureApprovalPage } from './agents/approval.ts';
import { measureAuditSearches } from './agents/audit-search.ts';
import { measureAuditShare } from './agents/audit-share.ts';
import type { Measurement } from './agents/figure.ts';
import { measureTools } from './agents/tools.ts';
import { withProduct } from './kit/own-product.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '7' },
    people: { type: 'string', default: '1000000' },
    acts: { type: 'string', default: '10000000' },
  },
  allowPositionals: true,
});
const rounds = Number(values.rounds);

await withProduct(
  'agents',
  async (product) => {
    const measurements = [
      ...(await measureTools(product, { rounds })),
      await measureAuditShare(product, { rounds }),
      await measureApprovalPage(product, { rounds, people: Number(values.people) }),
      ...(await measureAuditSearches(product, { rounds, acts: Number(values.acts) })),
    ];
    report(measurements);
  },
  { NODE_ENV: 'development', BILLING: 'off' },
);

function report(measurements: readonly Measurement[]): void {
  console.log(`\n${'figure'.padEnd(52)} ${'value'.padStart(10)} ${'at most'.padStart(10)}  ratio`);
  for (const { name, value, unit, max, baseline } of measurements) {
    const isOver = value > max;
    if (isOver) process.exitCode = 1;
    const columns = [`${value.toFixed(2)} ${unit}`, `${max} ${unit}`].map((text) =>
      text.padStart(10),
    );
    const ratio = baseline ? `${baseline.ratio.toFixed(2)} of ${baseline.value.toFixed(2)} ms` : '';
    console.log(`${name.padEnd(52)} ${columns.join(' ')}  ${ratio}${isOver ? '   <' : ''}`);
  }
  if (values.json)
    console.log(
      JSON.stringify({
        bench: 'agents',
        figures: Object.fromEntries(
          measurements.map(({ name, value, max, baseline }) => [
            name,
            { value, max, ratio: baseline?.ratio ?? null },
          ]),
        ),
      }),
    );
}
