// The product's one clock: the database's time carried on by the process's monotonic counter.
// Tests move it. SQL takes it as a parameter; now() never stands in product SQL.
import { performance } from 'node:perf_hooks';

let base = Date.now();
let takenAt = performance.now();
let moved = 0;
let frozen: number | undefined;

export const clock = {
  /** The current instant (milliseconds precision). */
  now(): Date {
    return new Date(frozen ?? base + (performance.now() - takenAt) + moved);
  },

  /** Takes over the database's time, as read from clock_timestamp(). */
  adopt(databaseTime: Date): void {
    base = databaseTime.getTime();
    takenAt = performance.now();
  },

  /** Tests: moves the clock by milliseconds, for good. */
  advance(milliseconds: number): void {
    if (frozen === undefined) moved += milliseconds;
    else frozen += milliseconds;
  },

  /** Tests: stops the clock at an instant; undefined lets it run again. */
  freeze(at: Date | undefined): void {
    frozen = at?.getTime();
  },

  reset(): void {
    moved = 0;
    frozen = undefined;
  },
};
