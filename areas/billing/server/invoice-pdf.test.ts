// Invoice fonts: the product's fonts in every language, and a Persian font for Persian names.
import { expect, test } from 'vitest';
import { LANGUAGES } from '#platform/languages.ts';
import type { InvoiceRow } from './billing.sql.ts';
import { invoicePdf } from './invoice-pdf.ts';

const row = (language: string, name: string) =>
  ({
    ...{ language, number: 'L-1-0001', kind: 'invoice', currency: 'eur' },
    issued_at: new Date('2026-11-27T10:00:00Z'),
    seller: { name: 'Loom Ltd', address: ['1 Street'], vatNumber: null, email: null },
    buyer: {
      ...{ name, address: ['Tehran 14155'], vatNumber: null, email: 'ada@shop.example' },
      tax: { name: null, percent: 0, isReverseCharge: false },
    },
    lines: [{ kind: 'plan', title: 'Small', size: 500, months: 1, net: 500, tax: 0 }],
    ...{ net: 500, tax: 0, total: 500 },
  }) as unknown as InvoiceRow;

const fontsOf = (pdf: Buffer) =>
  [...pdf.toString('latin1').matchAll(/\/FontName \/\w+\+([\w-]+)/g)].map((match) => match[1]);

test.each(LANGUAGES)('an invoice in %s uses the fonts of the product', async (language) => {
  const pdf = await invoicePdf(row(language, 'Žiedų krautuvė'), undefined);
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  expect(new Set(fontsOf(pdf))).toEqual(new Set(['Inter-Regular', 'Inter-SemiBold']));
});

test('a Persian name uses a font with Persian glyphs', async () => {
  const name = `فروشگاه گل لاله ${'شمارهٔ ۱۲ '.repeat(20)}`;
  expect(fontsOf(await invoicePdf(row('fas', name), undefined))).toContain('Vazirmatn-Regular');
});
