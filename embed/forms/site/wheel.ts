// Renders the wheel as elements, and turns it until it stops well inside the slice that the server
// drew.
import type { Tree, WheelSlice } from '../shared/document.ts';
import { wheelTree } from '../shared/wheel.ts';

const SVG = 'http://www.w3.org/2000/svg';
const TURNS = 5;
const SPIN_MS = 4200;

export const drawWheel = (slices: readonly WheelSlice[]): HTMLElement =>
  drawn(wheelTree(slices)) as HTMLElement;

/** The markup is generated here, so the allowlist does not apply. */
function drawn(tree: Tree, isPicture = false): Node {
  if (typeof tree === 'string') return document.createTextNode(tree);
  const [tag, attributes, ...children] = tree;
  const isInside = isPicture || tag === 'svg';
  const element = isInside ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.map((child) => drawn(child, isInside)));
  return element;
}

/** Resolves when the wheel stops; immediately with reduced motion. */
export async function spin(
  place: HTMLElement,
  { length }: { length: number },
  slice: number,
): Promise<void> {
  const disc = place.querySelector<SVGGElement>('.disc');
  if (!disc) return;
  const step = 360 / Math.max(1, length);
  const inside = 0.5 + (Math.random() - 0.5) * 0.5;
  const to = TURNS * 360 - (slice + inside) * step;
  const isMotionReduced = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const turn = disc.animate([{ transform: 'rotate(0deg)' }, { transform: `rotate(${to}deg)` }], {
    duration: isMotionReduced ? 1 : SPIN_MS,
    easing: 'cubic-bezier(.12,.7,.1,1)',
    fill: 'forwards',
  });
  await turn.finished;
  if (!isMotionReduced) await new Promise((settle) => setTimeout(settle, 700));
}
