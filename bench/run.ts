// `npm run bench -- <name> [options]` runs bench/<name>.ts, or lists the benchmarks.
import { readdirSync } from 'node:fs';

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.slice(0, -3));
const name = process.argv[2] ?? '';

if (names.includes(name)) {
  await import(`./${name}.ts`);
} else {
  console.error(`Usage: npm run bench -- ${names.join('|')} [--json] [options]`);
  process.exitCode = 1;
}
