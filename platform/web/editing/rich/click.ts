// Stores the position of the click that opens a text for editing, where the cursor is then placed.

const click = { x: 0, y: 0, at: Number.NEGATIVE_INFINITY };
const FRESH_MS = 1500;

export function rememberClick(x: number, y: number): void {
  Object.assign(click, { x, y, at: performance.now() });
}

/** Returns a recent click once. */
export function consumeClick(): { left: number; top: number } | undefined {
  const isFresh = performance.now() - click.at < FRESH_MS;
  click.at = Number.NEGATIVE_INFINITY;
  return isFresh ? { left: click.x, top: click.y } : undefined;
}
