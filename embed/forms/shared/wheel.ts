// The wheel's picture as a tree: equal slices in SVG. Drawn by the script on customers' sites and, for the
// hosted page, by the server.
import type { Tree, WheelSlice } from './document.ts';
import { inkOn } from './ink.ts';

/** @param stop the slice that it stands at; none: as before the first turn */
export function wheelTree(slices: readonly WheelSlice[], stop?: number): Tree {
  const step = 360 / Math.max(1, slices.length);
  const turned: Record<string, string> =
    stop === undefined ? {} : { transform: `rotate(${-(stop + 0.5) * step})` };
  return [
    'div',
    { class: 'wheel', ...(stop === undefined ? undefined : { 'data-slice': String(stop) }) },
    [
      'svg',
      { viewBox: '-110 -118 220 228', 'aria-hidden': 'true', width: '100%' },
      ['g', { class: 'disc', ...turned }, ...slices.flatMap((one, i) => sliceTrees(one, i, step))],
      ['path', { d: 'M-9 -116L9 -116L0 -96Z', fill: '#1b1d22', stroke: '#fff' }],
      ['circle', { r: '10', fill: '#fff', stroke: '#1b1d22', 'stroke-width': '2' }],
    ],
    // What it shows is in the list that screen readers get.
    ['ul', { class: 'trap' }, ...slices.map(({ label }): Tree => ['li', {}, label])],
  ];
}

function sliceTrees({ label, colour }: WheelSlice, i: number, step: number): Tree[] {
  const point = (degrees: number) => {
    const angle = (degrees * Math.PI) / 180;
    return `${round(100 * Math.sin(angle))} ${round(-100 * Math.cos(angle))}`;
  };
  const isCrowded = step < 45 || label.length > 11;
  return [
    [
      'path',
      {
        d: `M0 0L${point(i * step)}A100 100 0 ${step > 180 ? 1 : 0} 1 ${point((i + 1) * step)}Z`,
        fill: /^#[0-9a-f]{3,8}$/i.test(colour) ? colour : '#3b4fe4',
        stroke: '#fff',
        'stroke-width': '1.5',
      },
    ],
    [
      'text',
      {
        transform: `rotate(${round((i + 0.5) * step)}) translate(0 -56) rotate(-90)`,
        'text-anchor': 'middle',
        'dominant-baseline': 'middle',
        'font-size': isCrowded ? '9' : '11',
        'font-weight': '600',
        fill: inkOn(colour, ['#ffffff', '#1b1d22']),
      },
      label.length > 18 ? `${label.slice(0, 17)}…` : label,
    ],
  ];
}

const round = (value: number) => Math.round(value * 100) / 100;
