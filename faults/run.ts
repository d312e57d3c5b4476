// `npm run faults [-- <name> …]`: injects faults into the product and prints whether its invariants
// hold. Each fault is a file in this folder.
import { readdirSync } from 'node:fs';
import type { FaultTest, FaultResult } from './kit.ts';

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts' && file !== 'kit.ts')
  .map((file) => file.slice(0, -3));
const requestedNames = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const unknown = requestedNames.filter((name) => !names.includes(name));

if (unknown.length > 0) {
  console.error(`Usage: npm run faults [-- ${names.join(' | ')} …]`);
  process.exit(1);
}

const results: { fault: FaultTest; outcome: FaultResult; seconds: number }[] = [];
for (const name of requestedNames.length > 0 ? requestedNames : names) {
  const { fault } = (await import(`./${name}.ts`)) as { fault: FaultTest };
  if (fault.isOptIn && requestedNames.length === 0) continue;
  console.log(`\n${fault.number}: ${fault.title} …`);
  const startedAt = performance.now();
  const outcome = await fault
    .run((sentence) => console.log(`   ${sentence}`))
    .catch((error: Error) => ({ problems: [error.stack ?? error.message], facts: '' }));
  results.push({ fault, outcome, seconds: (performance.now() - startedAt) / 1_000 });
}

console.log('\n  #  holds  seconds  fault');
for (const { fault, outcome, seconds } of results) {
  const verdict = outcome.problems.length === 0 ? ' yes ' : ' NO  ';
  console.log(
    `${String(fault.number).padStart(3)}  ${verdict}  ${seconds.toFixed(0).padStart(7)}  ${fault.title}: ${outcome.facts}`,
  );
  for (const problem of outcome.problems.slice(0, 10)) console.log(`       ${problem}`);
}
process.exit(results.every(({ outcome }) => outcome.problems.length === 0) ? 0 : 1);
