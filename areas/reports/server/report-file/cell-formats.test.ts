// Formats of report cells: Persian digits and calendar, small shares, and days.
import { expect, test } from 'vitest';
import type { ReportCell } from './sections.ts';
import { createCellFormatter } from './cell-formats.ts';

const cells: ReportCell[] = [
  { kind: 'day', value: '2026-11-28' },
  { kind: 'count', value: 1204 },
  { kind: 'share', value: 0.449 },
  { kind: 'share', value: null },
  { kind: 'money', value: 1200.5, currency: 'EUR' },
  { kind: 'code', value: 'example.com' },
];

test('Persian cells have Persian digits and days of the Persian calendar', () => {
  expect(cells.map(createCellFormatter('fas'))).toEqual([
    '۷ آذر ۱۴۰۵',
    '۱٬۲۰۴',
    '۴۴٫۹٪',
    '–',
    '۱٬۲۰۰٫۵۰ EUR',
    'example.com',
  ]);
});

test('a percentage close to zero is written as on the screens, not as zero', () => {
  const ratios = [0, 0.00027, 0.001, 1];
  const formatted = ratios.map((value) => createCellFormatter('eng')({ kind: 'share', value }));
  expect(formatted).toEqual(['0%', '0.03%', '0.1%', '100%']);
});

test('a day is written in the format of the language', () => {
  expect(createCellFormatter('eng')(cells[0] as ReportCell)).toBe('Nov 28, 2026');
  expect(createCellFormatter('nor')(cells[0] as ReportCell)).toMatch(/^28\. nov/);
});
