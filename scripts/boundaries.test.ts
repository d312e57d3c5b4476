// Each rule of .dependency-cruiser.cjs reports the violation planted for it. Valid code has no
// violation.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Valid code that must pass. */
const validFiles: Record<string, string> = {
  'areas/accounts/contract.ts': `import { z } from 'zod';\nexport const Account = z.object({});\nexport type Account = z.infer<typeof Account>;`,
  'areas/accounts/shared.ts': 'export const MAX_LENGTH = 10;',
  'areas/accounts/server/index.ts': `import { inner } from './inner.ts';\nexport const door = inner;`,
  'areas/accounts/server/inner.ts': 'export const inner = 1;',
  'areas/accounts/web/index.ts': `import type { Account } from '../contract.ts';\nimport { MAX_LENGTH } from '../shared.ts';\nexport const name = (a: Account) => [a, MAX_LENGTH];`,
  'areas/groups/server/index.ts': `import { door } from '#areas/accounts/server/index.ts';\nimport { log } from '#platform/server/log.ts';\nexport const groups = [door, log];`,
  'areas/groups/server/groups.test.ts': `import { inner } from '#areas/accounts/server/inner.ts';\nimport '#testing/kit.ts';\nexport const t = inner;`,
  'areas/delivery/server/provider.ts': 'export interface Relay { send(): void }',
  'areas/delivery/server/index.ts': `export type { Relay } from './provider.ts';`,
  'providers/smtp/index.ts': `import type { Relay } from '#areas/delivery/server/provider.ts';\nexport const relay = {} as Relay;`,
  'platform/server/log.ts': 'export const log = 1;',
  'platform/web/shell.ts': 'export const shell = 1;',
  'main/web.ts': `import { relay } from '#providers/smtp/index.ts';\nexport const web = relay;`,
  'testing/kit.ts': `import { web } from '#main/web.ts';\nexport const kit = web;`,
};

/** The rule, the violating file, and its code. */
const plantedViolations: [string, string, string][] = [
  ['layers', 'areas/fields/server/up.ts', `import '#areas/groups/server/index.ts';`],
  ['layers', 'areas/fields/server/beside.ts', `import '#areas/billing/server/index.ts';`],
  ['layers', 'areas/fields/web/up.ts', `import '#areas/groups/web/index.ts';`],
  ['known-area', 'main/new.ts', `import '#areas/surprise/server/index.ts';`],
  ['doors', 'areas/groups/server/back-door.ts', `import '#areas/accounts/server/inner.ts';`],
  ['web-without-server', 'areas/groups/web/deep.ts', `import '../server/index.ts';`],
  ['web-without-server', 'platform/web/deep.ts', `import '../server/log.ts';`],
  ['server-without-web', 'areas/groups/server/shown.ts', `import '../web/index.ts';`],
  [
    'contracts-as-types-in-web',
    'areas/groups/web/heavy.ts',
    `import { Account } from '#areas/accounts/contract.ts';\nexport const a = Account;`,
  ],
  [
    'contracts-as-types-in-web',
    'areas/groups/web/zod.ts',
    `import { z } from 'zod';\nexport const a = z;`,
  ],
  ['contracts', 'areas/groups/contract.ts', `import './server/index.ts';`],
  ['shared-files', 'areas/groups/shared.ts', `import { z } from 'zod';\nexport const a = z;`],
  ['platform-knows-no-area', 'platform/server/knows.ts', `import '#areas/groups/server/index.ts';`],
  [
    'providers-only-from-main',
    'areas/delivery/server/wired.ts',
    `import '#providers/smtp/index.ts';`,
  ],
  [
    'providers-know-interfaces',
    'providers/smtp/deep.ts',
    `import '#areas/accounts/server/inner.ts';`,
  ],
  ['main-is-the-top', 'areas/groups/server/top.ts', `import '#main/web.ts';`],
  ['test-kit-in-tests', 'areas/groups/server/kit.ts', `import '#testing/kit.ts';`],
  ['no-cycles', 'platform/server/a.ts', `import { b } from './b.ts';\nexport const a = () => b;`],
  ['resolvable', 'platform/server/lost.ts', `import './nowhere.ts';`],
];

/** Files that the planted files import. */
const targets: Record<string, string> = {
  'areas/groups/web/index.ts': 'export const shown = 1;',
  'areas/billing/server/index.ts': 'export const billing = 1;',
  'areas/surprise/server/index.ts': 'export const surprise = 1;',
  'platform/server/b.ts': `import { a } from './a.ts';\nexport const b = () => a;`,
};

interface Violation {
  from: string;
  rule: { name: string };
}

const folder = mkdtempSync(join(tmpdir(), 'boundaries-'));
let violations: Violation[] = [];

beforeAll(() => {
  for (const file of ['package.json', 'tsconfig.json']) {
    cpSync(join(ROOT, file), join(folder, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const plantedFiles = Object.fromEntries(plantedViolations.map(([, path, text]) => [path, text]));
  for (const [path, text] of Object.entries({ ...validFiles, ...targets, ...plantedFiles })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${text}\n`);
  }
  const config = join(ROOT, '.dependency-cruiser.cjs');
  const output = execFileSync(
    process.execPath,
    [
      join(ROOT, 'node_modules/.bin/depcruise'),
      ...['--config', config, '--output-type', 'json'],
      ...['areas', 'platform', 'providers', 'main', 'testing'],
    ],
    { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 },
  );
  violations = (JSON.parse(output) as { summary: { violations: Violation[] } }).summary.violations;
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each(plantedViolations)('the rule %s reports %s', (rule, path) => {
  expect(
    violations.filter(({ from }) => from === path).map((violation) => violation.rule.name),
  ).toContain(rule);
});

test('valid code passes', () => {
  expect(violations.filter(({ from }) => from in validFiles)).toEqual([]);
});

test('each rule has a planted violation', () => {
  const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
    forbidden: { name: string }[];
  };
  const names = new Set(forbidden.map(({ name }) => name));
  expect(new Set(plantedViolations.map(([rule]) => rule))).toEqual(names);
});
