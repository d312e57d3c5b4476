// The product's only clock: the database's time, advanced by the process's monotonic counter. Tests
// move it. SQL takes the time as a parameter; product SQL never uses now().
import { performance } from 'node:perf_hooks';

let base = Date.now();
let measuredAt = performance.now();
let offset = 0;
let frozen: number | undefined;

export const clock = {
  /** Returns the current instant, with millisecond precision. */
  now(): Date {
    return new Date(frozen ?? base + (performance.now() - measuredAt) + offset);
  },

  /** Sets the clock to the database's time, read from clock_timestamp(). */
  adopt(databaseTime: Date): void {
    base = databaseTime.getTime();
    measuredAt = performance.now();
  },

  /**
   * Tests only: advances the clock permanently by milliseconds. Sessions of test owners end after
   * 15 minutes.
   */
  advance(milliseconds: number): void {
    if (frozen === undefined) offset += milliseconds;
    else frozen += milliseconds;
  },

  /** Tests only: freezes the clock at an instant; undefined resumes it. */
  freeze(at: Date | undefined): void {
    frozen = at?.getTime();
  },

  reset(): void {
    offset = 0;
    frozen = undefined;
  },
};
