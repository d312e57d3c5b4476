// Loops and conditions in a call's own content: rendered by liquidjs on a worker thread from the
// call's values only. The result is plain content with merge tags for the message.
import { invalid } from '#platform/server/errors.ts';
import { defineWork } from '#platform/server/work/work-pool.ts';
import type { LogicAnswer, LogicParts } from './liquid-work.ts';

/** CPU time for parsing and rendering all parts; a large receipt takes about 20 ms. */
const MAX_CPU_MS = 1_500;
const LOGIC = /\{%-?\s*[a-z]/;

/** Whether the content has loops or conditions besides merge tags. */
export const hasLogic = (template: string) => LOGIC.test(template);

const render = defineWork<LogicParts, LogicAnswer>({
  kind: 'liquid',
  url: new URL('./liquid-work.ts', import.meta.url),
  cpuMs: MAX_CPU_MS,
});

/**
 * Content without logic is unchanged. @throws 422 on the part that is invalid or exceeds the
 * limits; work_too_heavy
 */
export async function renderLogic<Parts extends LogicParts['parts']>(
  parts: Parts,
  variables: Record<string, unknown>,
): Promise<Parts> {
  const withLogic = Object.entries(parts).filter(
    ([, template]) => template !== null && hasLogic(template),
  );
  if (withLogic.length === 0) return parts;
  const answer = await render({ parts: Object.fromEntries(withLogic), variables });
  if ('failed' in answer) throw invalid({ [answer.failed]: [answer.sentence] });
  return { ...parts, ...answer.parts };
}
