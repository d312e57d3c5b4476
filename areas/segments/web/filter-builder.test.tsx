// @vitest-environment jsdom
// The filter builder keeps input, follows external changes, reports incomplete conditions, and
// reads numbers in the local format.
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Language } from '#platform/web/texts/languages.ts';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import { showLanguage } from '#platform/web/texts/texts.ts';
import FilterBuilder from './filter-builder.tsx';
import FilterChips from './filter-chips.tsx';

const GROUPS = [
  { id: 'abc123', title: 'Customers' },
  { id: 'def456', title: 'Readers' },
];
const FILTER =
  'firstname,begins,A,1,and,and,__next__lastname,blank,,1,and,and,__next__tag,have,abc123,2,or,and,';

beforeAll(() => startTestApp());
beforeEach(() => {
  vi.stubGlobal('fetch', async (url: string) => {
    const data = String(url).includes('/tags') ? GROUPS : [];
    return new Response(JSON.stringify({ data }), {
      headers: { 'Content-Type': 'application/json' },
    });
  });
});
afterEach(async () => {
  endTestApp();
  cleanup();
  vi.unstubAllGlobals();
  await showLanguage('eng');
}, 20_000);

const OTHER_FILTER = 'firstname,begins,Zoe,1,and,and,';
const onWrite = vi.fn<(filter: string) => void>();

/** Renders the builder on a screen that applies a changed filter after `delay`. */
function renderBuilder(initialFilter: string, delay = 0): void {
  onWrite.mockClear();
  function Screen() {
    const [filter, setFilter] = useState(initialFilter);
    return (
      <>
        <FilterBuilder
          value={filter}
          onChange={(next) => {
            onWrite(next);
            if (delay === 0) setFilter(next);
            else setTimeout(() => setFilter(next), delay);
          }}
        />
        <FilterChips filter={filter} onChange={setFilter} />
        <button type="button" onClick={() => setFilter(OTHER_FILTER)}>
          {'elsewhere'}
        </button>
      </>
    );
  }
  renderScreen(Screen);
}

const cards = () => screen.findAllByRole('region');

test('a filter is shown as cards, and the conjunction of a card joins all of its conditions', async () => {
  renderBuilder(FILTER);
  const [first, second] = await cards();
  expect(within(first as HTMLElement).getAllByRole('group')).toHaveLength(2);
  expect(within(second as HTMLElement).getAllByRole('group')).toHaveLength(1);
  fireEvent.click(within(first as HTMLElement).getByRole('radio', { name: 'Any of these' }));
  expect(onWrite).toHaveBeenLastCalledWith(
    FILTER.replace(
      'firstname,begins,A,1,and,and,__next__lastname,blank,,1,and,and,',
      'firstname,begins,A,1,and,or,__next__lastname,blank,,1,and,or,',
    ),
  );
  fireEvent.click(screen.getByRole('radio', { name: 'and' }));
  expect(onWrite.mock.lastCall?.[0]).toContain('tag,have,abc123,2,and,and,');
});

test('an added condition gets the focus and joins the filter only once complete', async () => {
  renderBuilder('firstname,begins,A,1,and,and,');
  fireEvent.click(await screen.findByRole('button', { name: 'Add condition' }));
  const typeInputs = screen.getAllByRole('combobox', { name: 'Condition type' });
  expect(document.activeElement).toBe(typeInputs[1]);
  fireEvent.change(typeInputs[1] as HTMLElement, { target: { value: 'number of' } });
  fireEvent.click(await screen.findByRole('option', { name: 'Number of orders' }));
  await screen.findByText('1 condition is incomplete and ignored for now.');
  expect(onWrite).not.toHaveBeenCalled();
  const [, value] = screen.getAllByRole('textbox', { name: 'Value' });
  fireEvent.change(value as HTMLElement, { target: { value: '۳' } });
  expect(onWrite).toHaveBeenLastCalledWith(
    'firstname,begins,A,1,and,and,__next__order_count,equals,3,1,and,and,',
  );
  fireEvent.click(screen.getByRole('button', { name: 'Remove condition 1' }));
  expect(onWrite).toHaveBeenLastCalledWith('order_count,equals,3,1,and,and,');
});

test('a slow screen does not lose input, and shows external changes', async () => {
  renderBuilder('firstname,begins,A,1,and,and,', 30);
  const input = () => screen.getByRole('textbox', { name: 'Value' }) as HTMLInputElement;
  await cards();
  for (const value of ['An', 'Ann', 'Anna']) {
    fireEvent.change(input(), { target: { value } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(input().value).toBe(value);
  }
  await screen.findByText('First name begins with “Anna”');
  expect(input().value).toBe('Anna');
  fireEvent.click(screen.getByRole('button', { name: 'elsewhere' }));
  await waitFor(() => expect(input().value).toBe('Zoe'));
});

test('a chip describes its condition in words and removes it; cards are duplicated and removed', async () => {
  renderBuilder(FILTER);
  const chips = await screen.findByRole('list', { name: 'Active conditions' });
  await within(chips).findByText(/Customers/);
  fireEvent.click(within(chips).getByRole('button', { name: /^Remove: First name begins with/ }));
  await waitFor(async () =>
    expect(within((await cards())[0] as HTMLElement).getAllByRole('group')).toHaveLength(1),
  );
  fireEvent.click(screen.getByRole('button', { name: 'Duplicate condition group 2' }));
  expect(await cards()).toHaveLength(3);
  expect(onWrite.mock.lastCall?.[0]).toBe(
    'lastname,blank,,1,and,and,__next__tag,have,abc123,2,or,and,__next__tag,have,abc123,3,or,and,',
  );
  for (const _ of [1, 2, 3]) {
    fireEvent.click(screen.getAllByRole('button', { name: /^Remove condition/ })[0] as HTMLElement);
  }
  await waitFor(() => expect(onWrite).toHaveBeenLastCalledWith(''));
  expect(await cards()).toHaveLength(1);
});

test('a time of day can be added to the date of a condition, and removed', async () => {
  renderBuilder('datetime,before,2026-02-03,1,and,and,fld001');
  const input = () => screen.getByLabelText('Value') as HTMLInputElement;
  await cards();
  expect([input().type, input().value]).toEqual(['date', '2026-02-03']);
  fireEvent.click(screen.getByRole('button', { name: 'Add time of day' }));
  await waitFor(() => expect(input().type).toBe('datetime-local'));
  fireEvent.change(input(), { target: { value: '2026-02-03T09:30' } });
  expect(onWrite).toHaveBeenLastCalledWith(
    'datetime,before,2026-02-03%2009%3A30%3A00,1,and,and,fld001',
  );
  fireEvent.click(screen.getByRole('button', { name: 'Whole day' }));
  expect(onWrite).toHaveBeenLastCalledWith('datetime,before,2026-02-03,1,and,and,fld001');
});

async function typeNumber(language: Language, typed: string): Promise<HTMLInputElement> {
  await showLanguage(language);
  renderBuilder('number,more-than,7,1,and,and,fld001');
  const [input] = (await screen.findAllByRole('textbox')) as [HTMLInputElement];
  fireEvent.change(input, { target: { value: typed } });
  return input;
}

test.each<[Language, string, string]>([
  ['eng', '1,234', '1234'],
  ['eng', '1,234.5', '1234.5'],
  ['eng', '1.234', '1.234'],
  ['eng', '−1,5', '-1.5'],
  ['nor', '1,234', '1.234'],
  ['swe', '1\u00a0234,5', '1234.5'],
  ['lav', '1.234.567', '1234567'],
  ['lit', '1.5', '1.5'],
  ['fas', ' ۱۲٫۵ ', '12.5'],
  ['fas', '۱٬۲۳۴', '1234'],
])('a number in %s is read in its local format: %s', async (language, typed, stored) => {
  const input = await typeNumber(language, typed);
  expect(onWrite).toHaveBeenLastCalledWith(`number,more-than,${stored},1,and,and,fld001`);
  expect(input.value).toBe(typed);
  expect(input.getAttribute('aria-invalid')).not.toBe('true');
});

test.each<[Language, string, string]>([
  ['nor', '1.234', 'Dette kan leses på to måter: skriv 1234 eller 1,234.'],
  ['fas', '۱.۲۳۴', 'این را دو جور می‌توان خواند: ۱۲۳۴ یا ۱٫۲۳۴ بنویسید.'],
  ['eng', '1,23,4', 'Not a number'],
  ['eng', 'abc', 'Not a number'],
])('an ambiguous or invalid number is not used: %s, %s', async (language, typed, message) => {
  const input = await typeNumber(language, typed);
  await screen.findByText(message);
  expect(onWrite).toHaveBeenLastCalledWith('');
  expect(input.value).toBe(typed);
});

test('a stored number is shown in the local format', async () => {
  await showLanguage('fas');
  renderBuilder('number,between,1234.5,1,and,and,fld001,2000');
  const inputs = await screen.findAllByRole('textbox');
  expect(inputs.map((input) => (input as HTMLInputElement).value)).toEqual(['۱۲۳۴٫۵', '۲۰۰۰']);
});
