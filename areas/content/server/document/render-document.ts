// Renders documents on worker threads: a large document takes over a second.
import { createHash } from 'node:crypto';
import { outsideTransaction } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { defineWork } from '#platform/server/work/work-pool.ts';
import type { EmailDocument } from '../../document.ts';
import type { DocumentContext } from './frame.ts';
import type { RenderedDocument } from './lay-out-document.ts';

/** CPU time; a hundred blocks take about 100 ms. */
const MAX_CPU_MS = 15_000;
const MAX_CACHED = 60;

export type DocumentWork = { document: EmailDocument; context: DocumentContext };

const render = defineWork<DocumentWork, RenderedDocument>({
  kind: 'document',
  url: new URL('./document-work.ts', import.meta.url),
  cpuMs: MAX_CPU_MS,
  createKillError: () => new AppError('document_too_slow'),
});

const cache = new Map<string, RenderedDocument>();
const running = new Map<string, Promise<RenderedDocument>>();

/** Caches renderings because preview, test and send request the same document in a row. */
export async function renderDocument(
  document: EmailDocument,
  context: DocumentContext,
  cpuMs = MAX_CPU_MS,
): Promise<RenderedDocument> {
  const key = createHash('sha256')
    .update(JSON.stringify([document, context]))
    .digest('base64');
  const cached = cache.get(key);
  if (cached) return store(key, cached);
  // Rendered outside the transaction, which would otherwise wait for the renderings of other calls.
  // The key omits ids: a transaction that creates the document itself gives it other ids when it is
  // repeated, and must still find the result.
  return outsideTransaction(
    () => `document ${JSON.stringify([document, context], omitIds)}`,
    () => running.get(key) ?? start(key, { document, context }, cpuMs),
  );
}

const omitIds = (name: string, value: unknown) => (name === 'id' ? undefined : value);

function start(key: string, work: DocumentWork, cpuMs: number): Promise<RenderedDocument> {
  const rendering = render(work, { cpuMs })
    .then((rendered) => store(key, rendered))
    .finally(() => running.delete(key));
  running.set(key, rendering);
  return rendering;
}

function store(key: string, rendering: RenderedDocument): RenderedDocument {
  cache.delete(key);
  cache.set(key, rendering);
  for (const oldest of cache.keys()) {
    if (cache.size <= MAX_CACHED) break;
    cache.delete(oldest);
  }
  return rendering;
}
