// Coalesces concurrent requests: reads of the same key share one result, writes share one
// statement.
import { setImmediate as turnEnd } from 'node:timers/promises';

/**
 * Returns a function that shares a read's result with calls for the same key made during the read.
 */
export function shareReads<Key, Value>(
  read: (key: Key) => Promise<Value>,
  nameOf: (key: Key) => string,
): (key: Key) => Promise<Value> {
  const reading = new Map<string, Promise<Value>>();
  return (key) => {
    const name = nameOf(key);
    const running = reading.get(name);
    if (running) return running;
    const pending = read(key).finally(() => reading.delete(name));
    reading.set(name, pending);
    return pending;
  };
}

/**
 * Returns a function that reads a key once for all of its calls that arrive in the same turn of the
 * event loop, or while the previous read of the key runs. The read starts after these calls, so it
 * sees everything that was committed before them.
 */
export function shareFreshReads<Key, Value>(
  read: (key: Key) => Promise<Value>,
  nameOf: (key: Key) => string,
): (key: Key) => Promise<Value> {
  type Reading = { now: Promise<Value>; hasStarted: boolean; next?: Promise<Value> };
  const readings = new Map<string, Reading>();
  const startRead = (name: string, key: Key): Promise<Value> => {
    const reading = { hasStarted: false } as Reading;
    reading.now = turnEnd().then(() => {
      reading.hasStarted = true;
      return read(key);
    });
    readings.set(name, reading);
    const end = () => {
      if (!reading.next) readings.delete(name);
    };
    reading.now.then(end, end);
    return reading.now;
  };
  return (key) => {
    const name = nameOf(key);
    const reading = readings.get(name);
    if (!reading) return startRead(name, key);
    if (!reading.hasStarted) return reading.now;
    const startNext = () => startRead(name, key);
    reading.next ??= reading.now.then(startNext, startNext);
    return reading.next;
  };
}

export type BatchWriter<Row, Result> = {
  /** Resolves once the statement with the row is committed. */
  add(row: Row): Promise<Result>;
  countWaiting(): number;
};

/**
 * Writes one statement at a time, with up to `max` rows that were added during the previous writes
 * or in the current turn of the event loop. Under load a turn collects many rows; without load the
 * wait adds microseconds.
 */
export function createBatchWriter<Row, Result>(
  max: number,
  write: (rows: Row[]) => Promise<Result[]>,
): BatchWriter<Row, Result> {
  type Waiting = { row: Row; resolve: (result: Result) => void; reject: (error: unknown) => void };
  let waiting: Waiting[] = [];
  let isWriting = false;
  const writeAll = async () => {
    isWriting = true;
    while (waiting.length > 0) {
      await turnEnd();
      const batch = waiting.slice(0, max);
      waiting = waiting.slice(max);
      try {
        const results = await write(batch.map(({ row }) => row));
        for (const [i, { resolve }] of batch.entries()) resolve(results[i] as Result);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isWriting = false;
  };
  return {
    add: (row) =>
      new Promise((resolve, reject) => {
        waiting.push({ row, resolve, reject });
        if (!isWriting) void writeAll();
      }),
    countWaiting: () => waiting.length,
  };
}
