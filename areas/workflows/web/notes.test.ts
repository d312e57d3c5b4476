// Every note code of the engine has a text.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SKIPS } from '#areas/delivery/shared.ts';
import { RUN_HOLD_REASONS, OUTCOMES } from '../shared.ts';

/** Codes of single steps (server/runs/: delay-steps.ts, action-steps.ts, handoff.ts, walk.ts; server/entering/). */
const STEP_CODES = [
  ...['passed', 'sent', 'TRUE', 'FALSE', 'done', 'happened', 'timed_out', 'no_wait'],
  ...['already_done', 'too_late', 'too_deep'],
];
/** Codes of campaign exclusions; workflows exclude no recipients. */
const CAMPAIGN_CODES = new Set(['excluded', 'excluded_segment', 'received_before']);

test('every workflow note has a string', () => {
  const file = join(import.meta.dirname, '../../../locales/eng/workflows.json');
  const { note } = JSON.parse(readFileSync(file, 'utf8')) as { note: Record<string, string> };
  const codes = [
    ...STEP_CODES,
    ...OUTCOMES,
    ...RUN_HOLD_REASONS,
    ...SKIPS.filter((skip) => !CAMPAIGN_CODES.has(skip)),
  ];
  expect(codes.filter((code) => !note[code])).toEqual([]);
});
