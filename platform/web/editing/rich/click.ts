// Where the click was that opened words for writing: the cursor goes there.

const click = { x: 0, y: 0, at: Number.NEGATIVE_INFINITY };
const FRESH_MS = 1500;

export function rememberClick(x: number, y: number): void {
  Object.assign(click, { x, y, at: performance.now() });
}

/** The click that was just now, once. */
export function takeClick(): { left: number; top: number } | undefined {
  const isFresh = performance.now() - click.at < FRESH_MS;
  click.at = Number.NEGATIVE_INFINITY;
  return isFresh ? { left: click.x, top: click.y } : undefined;
}
