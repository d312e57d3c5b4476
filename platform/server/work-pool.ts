// Work that may take long, in a thread of its own: nobody else's call waits for it. One piece at a time; one that
// is not done in time, or takes too much memory, ends the thread and fails alone, and the next thread takes the rest.
import { parentPort, Worker } from 'node:worker_threads';

const QUIET_MS = 60_000;

export type WorkThread<In, Out> = {
  /** Rejects with what the thread threw: `failure` of `answerWork` made it plain. */
  ask(input: In, limitMs?: number): Promise<Out>;
};

type Options = {
  /** The thread's file; it calls `answerWork`. */
  url: URL;
  limitMs: number;
  heapMegabytes: number;
  /** What a piece that is given up fails with. */
  tooSlow: () => Error;
  /** Makes an error of what the thread threw. */
  revive?: (failure: unknown) => Error;
};

type Piece<In, Out> = {
  input: In;
  limitMs: number;
  resolve: (output: Out) => void;
  reject: (error: Error) => void;
};

type Answer<Out> = { output: Out } | { failure: unknown };

/** The thread starts with the first piece and ends after a quiet minute. */
export function createWorkThread<In, Out>(options: Options): WorkThread<In, Out> {
  const { url, limitMs: usualMs, heapMegabytes, tooSlow, revive = asError } = options;
  const waiting: Piece<In, Out>[] = [];
  let worker: Worker | undefined;
  let current: Piece<In, Out> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const start = (): Worker => {
    const started = new Worker(url, { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } });
    started.on('message', (answer: Answer<Out>) => started === worker && take(answer));
    started.on('error', (error: NodeJS.ErrnoException) => {
      const isFull = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (started === worker) drop(isFull ? tooSlow() : error);
    });
    started.on('exit', () => started === worker && drop(new Error('The thread has ended')));
    return started;
  };

  const next = (): void => {
    clearTimeout(timer);
    current = waiting.shift();
    if (current) {
      worker ??= start();
      worker.ref();
      worker.postMessage(current.input);
      timer = setTimeout(() => drop(tooSlow()), current.limitMs);
    } else if (worker) {
      worker.unref();
      timer = setTimeout(() => drop(), QUIET_MS);
      timer.unref();
    }
  };

  const take = (answer: Answer<Out>): void => {
    const piece = current;
    next();
    if ('output' in answer) piece?.resolve(answer.output);
    else piece?.reject(revive(answer.failure));
  };

  const drop = (error?: Error): void => {
    const [ended, piece] = [worker, current];
    worker = undefined;
    void ended?.terminate();
    next();
    if (error) piece?.reject(error);
  };

  return {
    ask: (input, limitMs = usualMs) =>
      new Promise((resolve, reject) => {
        waiting.push({ input, limitMs, resolve, reject });
        if (!current) next();
      }),
  };
}

/** In the thread: answers each piece; `failure` makes of an error what can travel. */
export function answerWork<In, Out>(
  work: (input: In) => Out | Promise<Out>,
  failure: (error: unknown) => unknown = String,
): void {
  parentPort?.on('message', (input: In) => {
    void (async () => {
      try {
        parentPort?.postMessage({ output: await work(input) });
      } catch (error) {
        parentPort?.postMessage({ failure: failure(error) });
      }
    })();
  });
}

const asError = (failure: unknown) => new Error(String(failure));
