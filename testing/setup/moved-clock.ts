// Lets a test move the clock of a product. This module is preloaded into each process of the
// product (by `MOVABLE`) and reads the offset from a file in its data folder, which `moveClock` and
// `setClock` write.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { clock } from '#platform/server/clock.ts';

const CHECK_MS = 50;
const FILE = 'moved-clock';

/** The environment of a product with a movable clock. */
export const MOVABLE: NodeJS.ProcessEnv = {
  MOVED_CLOCK: '1',
  NODE_OPTIONS: `--import ${pathToFileURL(import.meta.filename).href}`,
};

/** Moves the product's clock forward, which takes effect within 50 ms. */
export function moveClock({ dataDir }: { dataDir: string }, byMs: number): void {
  const file = join(dataDir, FILE);
  writeOffset(file, (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0) + byMs);
}

/** Sets the product's clock to this instant; it continues from there. */
export function setClock({ dataDir }: { dataDir: string }, target: Date): void {
  writeOffset(join(dataDir, FILE), target.getTime() - Date.now());
}

function writeOffset(file: string, offset: number): void {
  writeFileSync(`${file}.new`, String(offset));
  renameSync(`${file}.new`, file);
}

const folder = process.env.DATA_DIR;
if (process.env.MOVED_CLOCK && folder) {
  let offsetMs = 0;
  const check = () => {
    const file = join(folder, FILE);
    const target = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
    if (target !== offsetMs) clock.advance(target - offsetMs);
    offsetMs = target;
  };
  setInterval(check, CHECK_MS).unref();
}
