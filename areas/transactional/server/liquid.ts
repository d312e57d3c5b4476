// Loops and conditions of a call's own words: rendered by liquidjs in a thread, from the call's own values alone.
// The result is plain words with merge tags that the message fills in.
import { invalid } from '#platform/server/errors.ts';
import { defineWork } from '#platform/server/work-pool.ts';
import type { LogicAnswer, LogicParts } from './liquid-work.ts';

/** Of processor time, for parsing and rendering of all parts; a large receipt takes some 20 ms. */
const MAX_CPU_MS = 1_500;
const LOGIC = /\{%-?\s*[a-z]/;

/** Whether words are more than merge tags. */
export const hasLogic = (words: string) => LOGIC.test(words);

const render = defineWork<LogicParts, LogicAnswer>({
  kind: 'liquid',
  url: new URL('./liquid-work.ts', import.meta.url),
  cpuMs: MAX_CPU_MS,
});

/**
 * Words without logic stay as they are.
 * @throws 422 on the part that cannot be parsed or takes more than it may; work_too_heavy
 */
export async function renderLogic<Parts extends LogicParts['parts']>(
  parts: Parts,
  variables: Record<string, unknown>,
): Promise<Parts> {
  const withLogic = Object.entries(parts).filter(([, words]) => words !== null && hasLogic(words));
  if (withLogic.length === 0) return parts;
  const answer = await render({ parts: Object.fromEntries(withLogic), variables });
  if ('failed' in answer) throw invalid({ [answer.failed]: [answer.sentence] });
  return { ...parts, ...answer.parts };
}
