// MJML in a thread: it takes tens of milliseconds for a large email.
import { AppError } from '#platform/server/errors.ts';
import { defineWork } from '#platform/server/work-pool.ts';

/** Of processor time; a hundred blocks take about 50 ms. */
const MAX_CPU_MS = 10_000;

const layout = defineWork<string, string>({
  kind: 'mjml',
  url: new URL('./mjml-work.ts', import.meta.url),
  cpuMs: MAX_CPU_MS,
  tooHeavy: () => new AppError('document_too_slow'),
});

/** MJML of slots and numbers → HTML, without the blanks that only people read. */
export function layoutHtml(mjml: string, cpuMs = MAX_CPU_MS): Promise<string> {
  return layout(mjml, { cpuMs });
}
