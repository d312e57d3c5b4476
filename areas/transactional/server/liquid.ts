// Renders loops and conditions in content from the values of a call, by liquidjs on a worker
// thread. The result has no more logic, only the merge tags that are filled for the recipient
// later.
import { invalid } from '#platform/server/errors.ts';
import { defineWork } from '#platform/server/work/work-pool.ts';
import type { LogicResponse, LogicParts } from './liquid-work.ts';

/** CPU time for parsing and rendering all parts; a large receipt takes about 20 ms. */
const MAX_CPU_MS = 1_500;
const LOGIC = /\{%-?\s*[a-z]/;

/**
 * Returns whether the content has Liquid tags, such as loops and conditions, besides merge tags.
 */
export const hasLogic = (template: string) => LOGIC.test(template);

const render = defineWork<LogicParts, LogicResponse>({
  kind: 'liquid',
  url: new URL('./liquid-work.ts', import.meta.url),
  cpuMs: MAX_CPU_MS,
});

/**
 * Renders the parts that have logic and returns the others unchanged.
 * @throws `invalid`, naming the part that is invalid or exceeds the limits; `work_too_heavy`
 */
export async function renderLogic<Parts extends LogicParts['parts']>(
  parts: Parts,
  variables: Record<string, unknown>,
): Promise<Parts> {
  const withLogic = Object.entries(parts).filter(
    ([, template]) => template !== null && hasLogic(template),
  );
  if (withLogic.length === 0) return parts;
  const result = await render({ parts: Object.fromEntries(withLogic), variables });
  if ('failedPart' in result) throw invalid({ [result.failedPart]: [result.message] });
  return { ...parts, ...result.parts };
}
