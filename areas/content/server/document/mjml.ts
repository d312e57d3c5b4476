// MJML in a thread of its own: it takes tens of milliseconds for a large mail, and nobody else's
// call waits for them.
import { AppError } from '#platform/server/errors.ts';
import { createWorkThread } from '#platform/server/work-thread.ts';

/** A hundred blocks take about 50 ms, the first mail of a thread half a second. */
const LIMIT_MS = 15_000;

const thread = createWorkThread<string, string>({
  url: new URL('./mjml-thread.ts', import.meta.url),
  limitMs: LIMIT_MS,
  heapMegabytes: 512,
  tooSlow: () => new AppError('document_too_slow'),
});

/** MJML of slots and numbers → HTML, without the blanks that only people read. */
export function layoutHtml(mjml: string, limitMs = LIMIT_MS): Promise<string> {
  return thread.ask(mjml, limitMs);
}
