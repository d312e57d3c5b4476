// Draws a small chart of times by size, both logarithmic. Constant times are flat lines, and times
// proportional to the size rise by one decade per decade. The SVG is readable in light and dark
// themes.

export interface GrowthLine {
  name: string;
  /** Pairs of size and milliseconds. */
  points: [number, number][];
}

const WIDTH = 720;
const HEIGHT = 380;
const LEFT = 64;
const RIGHT = 190;
const TOP = 40;
const BOTTOM = 44;
const COLORS = [
  '#3b4fe4',
  '#b4541a',
  '#1f8a5b',
  '#8a3fb0',
  '#c2264b',
  '#5b606b',
  '#0e7c93',
  '#a08400',
];

export function renderGrowthChart(title: string, lines: readonly GrowthLine[]): string {
  const sizes = [...new Set(lines.flatMap((line) => line.points.map(([size]) => size)))].sort(
    (a, b) => a - b,
  );
  const times = lines.flatMap((line) => line.points.map(([, ms]) => ms));
  const [minMs, maxMs] = [
    decade(Math.min(...times), Math.floor),
    decade(Math.max(...times), Math.ceil),
  ];
  const x = scale(sizes[0] ?? 1, sizes.at(-1) ?? 10, LEFT, WIDTH - RIGHT);
  const y = scale(minMs, maxMs, HEIGHT - BOTTOM, TOP);
  const elements = [
    `<text x="${LEFT}" y="22" class="title">${title}</text>`,
    ...sizes.map(
      (size) =>
        `<line x1="${x(size)}" x2="${x(size)}" y1="${TOP}" y2="${HEIGHT - BOTTOM}" class="grid"/><text x="${x(size)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
    ),
    ...decades(minMs, maxMs).map(
      (ms) =>
        `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(ms)}" y2="${y(ms)}" class="grid"/><text x="${LEFT - 8}" y="${y(ms) + 4}" text-anchor="end">${ms < 1000 ? `${ms} ms` : `${ms / 1000} s`}</text>`,
    ),
    ...lines.map((line, i) => drawLine(line, COLORS[i % COLORS.length] as string, x, y)),
    ...labels(lines, y),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}"><style>text{font:12px system-ui,sans-serif;fill:#5b606b}.title{font-size:14px;font-weight:600}.grid{stroke:#9aa0ab;stroke-opacity:.35}@media(prefers-color-scheme:dark){text{fill:#b6bac4}}</style>${elements.join('')}</svg>\n`;
}

function scale(from: number, to: number, start: number, end: number): (value: number) => number {
  const span = Math.log10(to) - Math.log10(from) || 1;
  return (value) =>
    Math.round((start + ((Math.log10(value) - Math.log10(from)) / span) * (end - start)) * 10) / 10;
}

const decade = (value: number, round: (value: number) => number) =>
  10 ** round(Math.log10(Math.max(value, 0.1)));

function decades(from: number, to: number): number[] {
  const ticks: number[] = [];
  for (let value = from; value <= to * 1.001; value *= 10) ticks.push(Number(value.toPrecision(3)));
  return ticks;
}

type Scale = (value: number) => number;

function drawLine(line: GrowthLine, color: string, x: Scale, y: Scale): string {
  const points = line.points.map(([size, ms]) => `${x(size)},${y(ms)}`);
  const dots = points.map((point) => {
    const [cx, cy] = point.split(',');
    return `<circle cx="${cx}" cy="${cy}" r="3" fill="${color}"/>`;
  });
  return `<polyline points="${points.join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>${dots.join('')}`;
}

/** Returns the labels at the ends of lines, which are moved apart if they overlap. */
function labels(lines: readonly GrowthLine[], y: Scale): string[] {
  const lineLabels = lines
    .map((line, i) => ({ name: line.name, i, at: y(line.points.at(-1)?.[1] ?? 1) + 4 }))
    .sort((a, b) => a.at - b.at);
  let previousY = 0;
  return lineLabels.map(({ name, i, at }) => {
    previousY = Math.max(at, previousY + 14);
    return `<text x="${WIDTH - RIGHT + 10}" y="${previousY}" style="fill:${COLORS[i % COLORS.length]}">${name}</text>`;
  });
}
