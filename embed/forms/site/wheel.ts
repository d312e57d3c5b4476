// The wheel: equal slices in SVG, turned to the slice that the server drew, landing well inside it.
import type { WheelSlice } from '../shared/document.ts';

const SVG = 'http://www.w3.org/2000/svg';
const TURNS = 5;
const SPIN_MS = 4200;

const make = (tag: string, attributes: Record<string, string>): SVGElement => {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

export function drawWheel(slices: readonly WheelSlice[]): HTMLElement {
  const place = document.createElement('div');
  place.className = 'wheel';
  // What it shows is in the list that screen readers get.
  const list = document.createElement('ul');
  list.className = 'trap';
  for (const { label } of slices) {
    const item = document.createElement('li');
    item.textContent = label;
    list.append(item);
  }
  const svg = make('svg', { viewBox: '-110 -118 220 228', 'aria-hidden': 'true', width: '100%' });
  const disc = make('g', { class: 'disc' });
  const step = (2 * Math.PI) / Math.max(1, slices.length);
  slices.forEach(({ label, colour }, i) => {
    const point = (angle: number) => `${100 * Math.sin(angle)} ${-100 * Math.cos(angle)}`;
    const large = step > Math.PI ? 1 : 0;
    disc.append(
      make('path', {
        d: `M0 0L${point(i * step)}A100 100 0 ${large} 1 ${point((i + 1) * step)}Z`,
        fill: /^#[0-9a-f]{3,8}$/i.test(colour) ? colour : '#3b4fe4',
        stroke: '#fff',
        'stroke-width': '1.5',
      }),
    );
    const text = make('text', {
      transform: `rotate(${((i + 0.5) * step * 180) / Math.PI}) translate(0 -62) rotate(-90)`,
      'text-anchor': 'middle',
      'dominant-baseline': 'middle',
      'font-size': slices.length > 8 || label.length > 11 ? '9' : '11',
      'font-weight': '600',
      fill: inkOn(colour),
    });
    text.textContent = label.length > 18 ? `${label.slice(0, 17)}…` : label;
    disc.append(text);
  });
  svg.append(disc, make('path', { d: 'M-9 -116L9 -116L0 -96Z', fill: '#1b1d22', stroke: '#fff' }));
  svg.append(make('circle', { r: '10', fill: '#fff', stroke: '#1b1d22', 'stroke-width': '2' }));
  place.append(svg, list);
  return place;
}

/** Dark letters on light slices (WCAG's relative luminance). */
function inkOn(colour: string): string {
  const hex = /^#([0-9a-f]{6})/i.exec(colour)?.[1];
  if (!hex) return '#fff';
  const [r = 0, g = 0, b = 0] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.25 ? '#1b1d22' : '#ffffff';
}

/** Resolves when it stands still; at once for whoever wants little motion. */
export async function spin(
  place: HTMLElement,
  slices: readonly WheelSlice[],
  slice: number,
): Promise<void> {
  const disc = place.querySelector<SVGGElement>('.disc');
  if (!disc) return;
  const step = 360 / Math.max(1, slices.length);
  const inside = 0.5 + (Math.random() - 0.5) * 0.5;
  const to = TURNS * 360 - (slice + inside) * step;
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const turn = disc.animate([{ transform: 'rotate(0deg)' }, { transform: `rotate(${to}deg)` }], {
    duration: isCalm ? 1 : SPIN_MS,
    easing: 'cubic-bezier(.12,.7,.1,1)',
    fill: 'forwards',
  });
  await turn.finished;
  if (!isCalm) await new Promise((settle) => setTimeout(settle, 700));
}
