// Builds the prize wheel as a markup tree: an SVG image with equal slices, and a list of their
// labels. The script on customers' sites renders this tree, and so does the server for the hosted
// page.
import type { MarkupTree, WheelSlice } from './document.ts';
import { chooseReadableColor } from './readable-color.ts';

/** @param stop the slice at the pointer; undefined for the initial position */
export function renderWheel(slices: readonly WheelSlice[], stop?: number): MarkupTree {
  const step = 360 / Math.max(1, slices.length);
  const rotation: Record<string, string> =
    stop === undefined ? {} : { transform: `rotate(${-(stop + 0.5) * step})` };
  return [
    'div',
    { class: 'wheel', ...(stop === undefined ? undefined : { 'data-slice': String(stop) }) },
    [
      'svg',
      { viewBox: '-112 -120 224 232', 'aria-hidden': 'true', width: '100%' },
      // The rim, with a light at the end of each line between slices.
      ['circle', { r: '110', fill: '#1b1d22', 'fill-opacity': '.12' }],
      ['circle', { r: '107', fill: '#1b1d22' }],
      [
        'g',
        { class: 'disc', ...rotation },
        ...slices.flatMap((slice, i) => sliceTrees(slice, i, step)),
        ...slices.map((_, i): MarkupTree => {
          const [cx, cy] = pointAt(i * step, 102);
          return ['circle', { cx, cy, r: '2.2', fill: '#ffd166' }];
        }),
      ],
      ['path', { d: 'M-11 -117Q0 -122 11 -117L0 -88Z', fill: '#fff', stroke: '#1b1d22' }],
      ['circle', { r: '15', fill: '#fff', stroke: '#1b1d22', 'stroke-width': '3' }],
      ['circle', { r: '5', fill: '#1b1d22' }],
    ],
    // Screen readers get the labels from the following list.
    ['ul', { class: 'trap' }, ...slices.map(({ label }): MarkupTree => ['li', {}, label])],
  ];
}

const RADIUS = 97;
/** Number of characters that fit into a line of a slice. */
const LINE = 14;

function sliceTrees({ label, colour: color }: WheelSlice, i: number, step: number): MarkupTree[] {
  const point = (degrees: number) => pointAt(degrees, RADIUS).join(' ');
  const lines = linesOf(label, step < 25 ? 1 : 2);
  const isCrowded = step < 45 || lines.length > 1 || label.length > 11;
  return [
    [
      'path',
      {
        d: `M0 0L${point(i * step)}A${RADIUS} ${RADIUS} 0 ${step > 180 ? 1 : 0} 1 ${point((i + 1) * step)}Z`,
        fill: /^#[0-9a-f]{3,8}$/i.test(color) ? color : '#3b4fe4',
        stroke: '#fff',
        'stroke-width': '1.5',
      },
    ],
    [
      'text',
      {
        transform: `rotate(${roundToHundredths((i + 0.5) * step)}) translate(0 -56) rotate(-90)`,
        'text-anchor': 'middle',
        'dominant-baseline': 'middle',
        'font-size': isCrowded ? '9' : '11',
        'font-weight': '600',
        fill: chooseReadableColor(color, ['#ffffff', '#1b1d22']),
      },
      ...lines.map(
        (line, index): MarkupTree => [
          'tspan',
          { x: '0', y: String((index - (lines.length - 1) / 2) * 11) },
          line,
        ],
      ),
    ],
  ];
}

/** Wraps the label, and ends text that does not fit with an ellipsis. */
function linesOf(label: string, max: number): string[] {
  const lines = [''];
  for (const word of label.split(' ')) {
    const lastLine = lines.at(-1) ?? '';
    if (lastLine === '' || `${lastLine} ${word}`.length <= LINE)
      lines[lines.length - 1] = `${lastLine} ${word}`.trim();
    else lines.push(word);
  }
  const isCut = lines.length > max;
  return lines
    .slice(0, max)
    .map((line, index) =>
      line.length > LINE || (isCut && index === max - 1) ? `${line.slice(0, LINE - 1)}…` : line,
    );
}

function pointAt(degrees: number, radius: number): [string, string] {
  const angle = (degrees * Math.PI) / 180;
  return [
    String(roundToHundredths(radius * Math.sin(angle))),
    String(roundToHundredths(-radius * Math.cos(angle))),
  ];
}

const roundToHundredths = (value: number) => Math.round(value * 100) / 100;
