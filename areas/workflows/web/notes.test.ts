// Whatever the engine notes of a person is told in words, not in its code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SKIPS } from '#areas/delivery/limits.ts';
import { HOLDS, OUTCOMES } from '../limits.ts';

/** Of single steps (server/waiting.ts, acting.ts, handing-over.ts, walk.ts, entering.ts). */
const OF_STEPS = [
  ...['passed', 'sent', 'TRUE', 'FALSE', 'done', 'happened', 'timed_out', 'no_wait'],
  ...['already_done', 'too_late', 'too_deep'],
];
/** Whom a campaign is not for; a workflow excludes nobody. */
const OF_CAMPAIGNS = new Set(['excluded', 'excluded_segment']);

test('each note has its words', () => {
  const file = join(import.meta.dirname, '../../../locales/eng/workflows.json');
  const { note } = JSON.parse(readFileSync(file, 'utf8')) as { note: Record<string, string> };
  const codes = [
    ...OF_STEPS,
    ...OUTCOMES,
    ...HOLDS,
    ...SKIPS.filter((one) => !OF_CAMPAIGNS.has(one)),
  ];
  expect(codes.filter((code) => !note[code])).toEqual([]);
});
