// @vitest-environment jsdom
// A table keeps its rows and columns while their number is being typed.
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useEffect, useState } from 'react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import { type BlockOf, DOCUMENT_LIMITS } from '../../../document.ts';
import { createBlock } from '../../../document-factory.ts';
import { TableForm } from './list-forms.tsx';

const rows = Array.from({ length: 10 }, (_, at) => [`Tea ${at + 1}`, `${at + 1} €`]);
let block: BlockOf<'table'>;
const onChange = vi.fn<(fields: Partial<BlockOf<'table'>>) => void>();

function Form() {
  const [now, setNow] = useState(() => createBlock('table', { rows, aligns: ['start', 'end'] }));
  useEffect(() => {
    block = now;
  });
  return (
    <TableForm
      block={now}
      change={(fields) => {
        onChange(fields);
        setNow((before) => ({ ...before, ...fields }));
      }}
    />
  );
}

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  onChange.mockReset();
  vi.unstubAllGlobals();
});

async function field(name: string): Promise<HTMLElement> {
  vi.stubGlobal('fetch', async () => new Response('{"data":{"colors":[]}}'));
  renderScreen(Form);
  return await screen.findByRole('textbox', { name });
}

/** Dispatches one change event per value, as a browser does per keystroke. */
async function type(into: HTMLElement, ...values: string[]): Promise<void> {
  for (const value of values) await act(async () => fireEvent.change(into, { target: { value } }));
}

const press = (into: HTMLElement, key: string) => act(async () => fireEvent.keyDown(into, { key }));

const readValue = (input: HTMLElement) => (input as HTMLInputElement).value;

test('typing a multi-digit number does not remove rows at the first digit', async () => {
  const count = await field('Rows');
  await type(count, '1', '12');
  expect(onChange).not.toHaveBeenCalled();
  await act(async () => fireEvent.blur(count));
  await waitFor(() => expect(block.rows).toHaveLength(12));
  expect(block.rows.slice(0, 10)).toEqual(rows);
  expect(onChange).toHaveBeenCalledTimes(1);
});

test('the number of columns is applied on Enter or blur, limited, and ignored if empty', async () => {
  const count = await field('Columns');
  await type(count, '1', '');
  await press(count, 'Enter');
  expect(onChange).not.toHaveBeenCalled();
  expect(readValue(count)).toBe('2');
  await type(count, '3');
  await press(count, 'Enter');
  await waitFor(() => expect(block.aligns).toEqual(['start', 'end', 'start']));
  expect(block.rows[0]).toEqual(['Tea 1', '1 €', '']);
  await type(count, '99');
  await act(async () => fireEvent.blur(count));
  await waitFor(() => expect(block.aligns).toHaveLength(DOCUMENT_LIMITS.cells));
  expect(readValue(count)).toBe(String(DOCUMENT_LIMITS.cells));
});

test('an arrow key changes the number of rows immediately', async () => {
  const count = await field('Rows');
  await press(count, 'ArrowDown');
  await waitFor(() => expect(block.rows).toEqual(rows.slice(0, 9)));
  await press(count, 'ArrowUp');
  await waitFor(() => expect(block.rows).toHaveLength(10));
  expect(readValue(count)).toBe('10');
});
