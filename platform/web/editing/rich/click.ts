// Stores the position of the click that opens text for editing, so that the cursor is placed there.

const click = { x: 0, y: 0, at: Number.NEGATIVE_INFINITY };
const FRESH_MS = 1500;

export function rememberClick(x: number, y: number): void {
  Object.assign(click, { x, y, at: performance.now() });
}

/** Returns the last click if it is recent, and forgets it. */
export function consumeClick(): { left: number; top: number } | undefined {
  const isFresh = performance.now() - click.at < FRESH_MS;
  click.at = Number.NEGATIVE_INFINITY;
  return isFresh ? { left: click.x, top: click.y } : undefined;
}
