// A chart of a few thin lines as SVG: 2 KB of code, compared to the 100 KB of a chart library. The
// time axis follows the writing direction; the second line is dashed, so that color is not needed
// to distinguish them.
import { useDirection } from '@mantine/core';
import { type PointerEvent, useState } from 'react';
import { useFormats } from '../texts/formats.ts';
import classes from './line-chart.module.css';

type Line = { name: string; values: number[] };

export interface LineChartProps {
  width: number;
  /** Description of the chart in one sentence. */
  label: string;
  /** Names of the points on the time axis. */
  names: string[];
  lines: Line[];
  /**
   * True if the axis begins just below the smallest value instead of at zero, so that changes of
   * large numbers are visible.
   */
  hasFloor?: boolean;
  /** Pixels; at least 236. */
  height?: number;
}

const MIN_HEIGHT = 236;
const TOP = 12;
const BOTTOM = 24;
/** Space for the axis' numbers. */
const START_MARGIN = 40;
/** Minimum and maximum space for the line names; the width depends on the longest name. */
const MIN_AFTER = 64;
const MAX_AFTER_SHARE = 0.4;
const LETTER_WIDTH = 7;
/** The space after a single line, which has no name at its end. */
const AFTER_ONE = 16;
const TICKS = 3;
const MIN_BETWEEN = 76;

export function LineChart(props: LineChartProps) {
  const { width, label, names, lines, hasFloor = false } = props;
  const height = Math.max(MIN_HEIGHT, props.height ?? 0);
  const isMirrored = useDirection().dir === 'rtl';
  const [at, setAt] = useState<number>();
  const values = lines.flatMap((line) => line.values);
  const { minValue, maxValue } = hasFloor
    ? niceRange(values)
    : { minValue: 0, maxValue: niceTop(maximum(values)) };
  const endMargin = spaceAfter(lines, width);
  const plotWidth = Math.max(1, width - START_MARGIN - endMargin);
  const count = names.length;
  const mirrorX = (x: number) => (isMirrored ? width - x : x);
  const x = (index: number) =>
    mirrorX(START_MARGIN + (count < 2 ? plotWidth / 2 : (index / (count - 1)) * plotWidth));
  const y = (value: number) =>
    TOP + (1 - (value - minValue) / (maxValue - minValue)) * (height - TOP - BOTTOM);
  const scale: Scale = {
    x,
    y,
    mirrorX,
    width,
    height,
    endMargin,
    minValue,
    maxValue,
    plotWidth,
    isMirrored,
  };
  const follow = (event: PointerEvent<SVGSVGElement>) => {
    const offset = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const fraction = (mirrorX(offset) - START_MARGIN) / plotWidth;
    setAt(Math.min(count - 1, Math.max(0, Math.round(fraction * (count - 1)))));
  };
  return (
    <svg
      className={classes.chart}
      width={width}
      height={height}
      role="img"
      aria-label={label}
      onPointerMove={follow}
      onPointerLeave={() => setAt(undefined)}
    >
      <Axes names={names} scale={scale} />
      {lines.map((line, index) => (
        <Path key={line.name} line={line} index={index} scale={scale} />
      ))}
      {lines.length > 1 && <LineNames lines={lines} scale={scale} />}
      {at !== undefined && names[at] !== undefined && (
        <Cursor index={at} names={names} lines={lines} scale={scale} />
      )}
    </svg>
  );
}

type Scale = {
  x: (index: number) => number;
  y: (value: number) => number;
  mirrorX: (x: number) => number;
  width: number;
  height: number;
  endMargin: number;
  minValue: number;
  maxValue: number;
  plotWidth: number;
  isMirrored: boolean;
};

function spaceAfter(lines: readonly Line[], width: number): number {
  if (lines.length < 2) return AFTER_ONE;
  const longest = Math.max(...lines.map(({ name }) => name.length));
  return Math.max(MIN_AFTER, Math.min(longest * LETTER_WIDTH + 8, width * MAX_AFTER_SHARE));
}

const maximum = (values: readonly number[]) => Math.max(1, ...values);

/**
 * Computes round limits around the values, with three ticks, beginning at zero unless the values
 * are far above it.
 */
export function niceRange(values: readonly number[]): { minValue: number; maxValue: number } {
  const [min, highest] = [Math.min(...values), maximum(values)];
  const span = highest - min;
  if (span === 0 || min < highest / 2) return { minValue: 0, maxValue: niceTop(highest) };
  const power = 10 ** Math.floor(Math.log10(span / TICKS));
  for (const times of [1, 2, 5, 10, 20]) {
    const step = Math.max(1, times * power);
    const minValue = Math.floor(min / step) * step;
    if (minValue + TICKS * step >= highest) return { minValue, maxValue: minValue + TICKS * step };
  }
  return { minValue: 0, maxValue: niceTop(highest) };
}

/** Returns a round limit that divides into three integer steps: 3, 6, 9, 15, 30, 60, 90, 150 … */
function niceTop(maximum: number): number {
  const power = 10 ** Math.floor(Math.log10(maximum));
  const steps = [1.5, 3, 6, 9, 15].map((step) => step * power);
  const niceStep = steps.find((step) => step >= maximum && Number.isInteger(step)) ?? 15 * power;
  return niceStep < TICKS ? TICKS : niceStep;
}

function Axes({ names, scale }: { names: string[]; scale: Scale }) {
  const { compact, number } = useFormats();
  const { x, y, mirrorX, width, height, endMargin, minValue, maxValue, plotWidth } = scale;
  const every = Math.max(
    1,
    Math.ceil(names.length / Math.max(1, Math.floor(plotWidth / MIN_BETWEEN))),
  );
  return (
    <g aria-hidden="true">
      {Array.from(
        { length: TICKS + 1 },
        (_, tick) => minValue + ((maxValue - minValue) / TICKS) * tick,
      ).map((value) => (
        <g key={value}>
          <line
            className={classes.grid}
            x1={mirrorX(START_MARGIN)}
            x2={mirrorX(width - endMargin)}
            y1={y(value)}
            y2={y(value)}
          />
          <text
            className={classes.word}
            x={mirrorX(START_MARGIN - 8)}
            y={y(value) + 4}
            textAnchor="end"
          >
            {minValue > 0 ? number(Math.round(value)) : compact(Math.round(value))}
          </text>
        </g>
      ))}
      {names.map((name, index) =>
        index % every === 0 ? (
          <text key={name} className={classes.word} x={x(index)} y={height - 4} textAnchor="middle">
            {name}
          </text>
        ) : null,
      )}
    </g>
  );
}

function Path({ line, index, scale }: { line: Line; index: number; scale: Scale }) {
  const points = line.values.map((value, at) => `${scale.x(at)},${scale.y(value)}`);
  return (
    <g aria-hidden="true">
      <polyline className={classes.line} data-line={index} points={points.join(' ')} />
      {line.values.length < 8 &&
        line.values.map((value, at) => (
          <circle
            // Points have no identity except their position.
            key={scale.x(at)}
            className={classes.dot}
            data-line={index}
            cx={scale.x(at)}
            cy={scale.y(value)}
            r={3}
          />
        ))}
    </g>
  );
}

/** Names at the ends of the lines. Two names are moved apart if they overlap. */
function LineNames({ lines, scale }: { lines: Line[]; scale: Scale }) {
  const labelTops = lines.map((line) => scale.y(line.values.at(-1) ?? 0) + 4);
  const [first = 0, second = 0] = labelTops;
  if (labelTops.length === 2 && Math.abs(first - second) < 14) {
    const middle = Math.min((first + second) / 2, scale.height - BOTTOM - 6);
    labelTops[0] = middle - 7;
    labelTops[1] = middle + 7;
  }
  return (
    <g aria-hidden="true">
      {lines.map((line, index) => (
        <text
          key={line.name}
          className={classes.name}
          data-line={index}
          x={scale.mirrorX(scale.width - scale.endMargin + 8)}
          y={labelTops[index]}
          textAnchor="start"
        >
          {line.name}
        </text>
      ))}
    </g>
  );
}

const TIP_WIDTH = 148;

function Cursor(props: { index: number; names: string[]; lines: Line[]; scale: Scale }) {
  const { number } = useFormats();
  const { index, names, lines, scale } = props;
  const x = scale.x(index);
  const tipLeft = Math.min(
    Math.max(0, x + (x > scale.width / 2 ? -TIP_WIDTH - 8 : 8)),
    scale.width,
  );
  const edge = scale.isMirrored ? tipLeft + TIP_WIDTH - 10 : tipLeft + 10;
  return (
    <g aria-hidden="true" pointerEvents="none">
      <line className={classes.cursor} x1={x} x2={x} y1={TOP} y2={scale.height - BOTTOM} />
      <rect
        className={classes.tip}
        x={tipLeft}
        y={TOP}
        width={TIP_WIDTH}
        height={24 + lines.length * 18}
        rx={6}
      />
      <text className={classes.word} x={edge} y={TOP + 18}>
        {names[index]}
      </text>
      {lines.map((line, lineIndex) => (
        <text
          key={line.name}
          className={classes.name}
          data-line={lineIndex}
          x={edge}
          y={TOP + 36 + lineIndex * 18}
        >
          {line.name} {number(line.values[index] ?? 0)}
        </text>
      ))}
    </g>
  );
}
