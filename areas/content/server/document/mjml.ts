// MJML in a thread of its own: it takes tens of milliseconds for a large mail, and nobody else's
// call waits for them. The thread starts with the first mail and ends after a quiet minute; one that
// does not answer in time is ended, and its call fails.
import { Worker } from 'node:worker_threads';
import { AppError } from '#platform/server/errors.ts';

/** A hundred blocks take about 50 ms, the first mail of a thread half a second. */
const LIMIT_MS = 15_000;
const QUIET_MS = 60_000;

type Waiting = {
  resolve: (html: string) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
};
type Thread = { worker: Worker; waiting: Map<number, Waiting>; quiet: NodeJS.Timeout | undefined };
export type LayoutAnswer = { id: number; html: string } | { id: number; error: string };

let thread: Thread | undefined;
let count = 0;

/** MJML of slots and numbers → HTML, without the blanks that only people read. */
export function layoutHtml(mjml: string, limitMs = LIMIT_MS): Promise<string> {
  const { worker, waiting, quiet } = (thread ??= startThread());
  clearTimeout(quiet);
  const id = ++count;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => giveUp(new AppError('document_too_slow')), limitMs);
    waiting.set(id, { resolve, reject, timer });
    worker.ref();
    worker.postMessage({ id, mjml });
  });
}

function startThread(): Thread {
  const worker = new Worker(new URL('./mjml-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  const started: Thread = { worker, waiting: new Map(), quiet: undefined };
  worker.on('message', (answer: LayoutAnswer) => take(started, answer));
  worker.on('error', (error) => fail(started, error));
  worker.on('exit', () => fail(started, new Error('The thread of MJML has ended')));
  worker.unref();
  return started;
}

function take(from: Thread, answer: LayoutAnswer): void {
  const one = from.waiting.get(answer.id);
  if (!one) return;
  from.waiting.delete(answer.id);
  clearTimeout(one.timer);
  if ('error' in answer) one.reject(new Error(answer.error));
  else one.resolve(answer.html);
  if (from.waiting.size > 0) return;
  from.worker.unref();
  from.quiet = setTimeout(() => fail(from, new Error('Quiet')), QUIET_MS);
  from.quiet.unref();
}

function giveUp(error: Error): void {
  if (thread) fail(thread, error);
}

function fail(failed: Thread, error: Error): void {
  if (thread === failed) thread = undefined;
  clearTimeout(failed.quiet);
  for (const { reject, timer } of failed.waiting.values()) {
    clearTimeout(timer);
    reject(error);
  }
  failed.waiting.clear();
  void failed.worker.terminate();
}
