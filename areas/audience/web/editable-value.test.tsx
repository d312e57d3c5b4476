// @vitest-environment jsdom
// An inline value: Enter saves it, Escape cancels the edit, and errors are shown below it.
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Language } from '#platform/web/texts/languages.ts';
import { ApiError } from '#platform/web/api-error.ts';
import { renderPiece, startTestApp } from '#platform/web/shell/test-app.tsx';
import { showLanguage } from '#platform/web/texts/texts.ts';
import { EditableValue } from './editable-value.tsx';

beforeAll(() => startTestApp());
afterEach(cleanup);

function open(label: string): HTMLInputElement {
  fireEvent.click(screen.getByRole('button', { name: new RegExp(label) }));
  return screen.getByLabelText(label) as HTMLInputElement;
}

test('Enter saves a changed value only', async () => {
  const save = vi.fn<(value: string) => Promise<unknown>>(async () => undefined);
  renderPiece(<EditableValue label="City" type="text" value="Oslo" save={save} />);
  const input = open('City');
  expect(input.value).toBe('Oslo');
  fireEvent.change(input, { target: { value: ' Bergen ' } });
  fireEvent.keyDown(input, { key: 'Enter' });
  await waitFor(() => expect(save).toHaveBeenCalledWith('Bergen'));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button')));
  fireEvent.keyDown(open('City'), { key: 'Enter' });
  await waitFor(() => screen.getByRole('button'));
  expect(save).toHaveBeenCalledTimes(1);
});

test('Escape cancels the edit', () => {
  const save = vi.fn<(value: string) => Promise<unknown>>(async () => undefined);
  renderPiece(<EditableValue label="City" type="text" value="Oslo" save={save} />);
  const input = open('City');
  fireEvent.change(input, { target: { value: 'Bergen' } });
  fireEvent.keyDown(input, { key: 'Escape' });
  expect(screen.getByRole('button').textContent).toContain('Oslo');
  expect(document.activeElement).toBe(screen.getByRole('button'));
  expect(save).not.toHaveBeenCalled();
});

test('an unchanged date keeps its seconds', () => {
  const save = vi.fn<(value: string) => Promise<unknown>>(async () => undefined);
  renderPiece(
    <EditableValue label="Born" type="datetime" value="1990-01-12 10:20:30" save={save} />,
  );
  fireEvent.blur(open('Born'));
  expect(screen.getByRole('button').textContent).toContain('1990');
  expect(save).not.toHaveBeenCalled();
});

test('a date is sent in storage format, and an error is shown below the input', async () => {
  const save = vi.fn<(value: string) => Promise<unknown>>(async () => {
    throw new ApiError({
      status: 422,
      code: 'invalid',
      message: 'Some of this is not valid.',
      errors: { value: ['Please use the YYYY-MM-DD format'] },
      rawMessage: false,
    });
  });
  renderPiece(
    <EditableValue label="Born" type="datetime" value="1990-01-12 00:00:00" save={save} />,
  );
  const input = open('Born');
  expect(input.value).toBe('1990-01-12T00:00');
  fireEvent.change(input, { target: { value: '1990-02-03T00:00' } });
  fireEvent.blur(input);
  await waitFor(() => expect(save).toHaveBeenCalledWith('1990-02-03 00:00:00'));
  await screen.findByText('Please use the YYYY-MM-DD format');
  expect((screen.getByLabelText('Born') as HTMLInputElement).value).toBe('1990-02-03T00:00');
});

test.each<[Language, string, string]>([
  ['eng', '1,234', '1234'],
  ['eng', '1,234,567.5', '1234567.5'],
  ['eng', '1.234', '1.234'],
  ['eng', '2,5', '2.5'],
  ['nor', '1,234', '1.234'],
  ['nor', '1\u00a0234,5', '1234.5'],
  ['nor', '1.234,5', '1234.5'],
  ['lit', '−1.234.567', '-1234567'],
  ['fas', '۱۲۳۴', '1234'],
  ['fas', '۱٬۲۳۴٫۵', '1234.5'],
  ['fas', '۱,۲۳۴', '1234'],
  // Invalid numbers are sent as typed, and refused with a message.
  ['eng', '1,23,4', '1,23,4'],
  ['eng', '12 34', '12 34'],
])('a number in %s is read in its local format: %s', async (language, typed, stored) => {
  await showLanguage(language);
  try {
    const save = vi.fn<(value: string) => Promise<unknown>>(async () => undefined);
    renderPiece(<EditableValue label="Points" type="number" value="7" save={save} />);
    const input = open('Points');
    fireEvent.change(input, { target: { value: typed } });
    fireEvent.keyDown(input, { key: 'Enter' });
    await waitFor(() => expect(save).toHaveBeenCalledWith(stored));
  } finally {
    await showLanguage('eng');
  }
});

test('an ambiguous number is refused with both readings, and a number is edited as displayed', async () => {
  await showLanguage('nor');
  try {
    const save = vi.fn<(value: string) => Promise<unknown>>(async () => undefined);
    renderPiece(<EditableValue label="Points" type="number" value="1.5" save={save} />);
    const input = open('Points');
    expect(input.value).toBe('1,5');
    fireEvent.change(input, { target: { value: '1.234' } });
    fireEvent.keyDown(input, { key: 'Enter' });
    await screen.findByText('Dette kan leses på to måter: skriv 1234 eller 1,234.');
    expect(save).not.toHaveBeenCalled();
    fireEvent.change(input, { target: { value: '1,234' } });
    fireEvent.keyDown(input, { key: 'Enter' });
    await waitFor(() => expect(save).toHaveBeenCalledWith('1.234'));
  } finally {
    await showLanguage('eng');
  }
});

test.each<Language>(['eng', 'nor', 'swe', 'lit', 'fas', 'lav'])(
  'in %s a number may be typed as displayed',
  async (language) => {
    await showLanguage(language);
    try {
      for (const value of ['1234', '1234567.5', '1.234', '-1234.25']) {
        const save = vi.fn<(value: string) => Promise<unknown>>(async () => undefined);
        renderPiece(<EditableValue label="Points" type="number" value={value} save={save} />);
        const shown = screen.getByRole('button').textContent.replace(/^Points /, '');
        const input = open('Points');
        fireEvent.change(input, { target: { value: `${shown} ` } });
        fireEvent.keyDown(input, { key: 'Enter' });
        // The text equals the stored value: nothing to save.
        await waitFor(() => screen.getByRole('button'));
        expect(save).not.toHaveBeenCalled();
        cleanup();
      }
    } finally {
      await showLanguage('eng');
    }
  },
);

test('a birthday is shown in words and saved as its month and day', async () => {
  const save = vi.fn<(value: string) => Promise<unknown>>(async () => undefined);
  renderPiece(<EditableValue label="Born" type="birthday" value="05-12" save={save} />);
  expect(screen.getByRole('button').textContent).toContain('May 12');
  fireEvent.click(screen.getByRole('button'));
  const month = screen.getByLabelText('Born: Month');
  fireEvent.change(month, { target: { value: '02' } });
  const day = screen.getByLabelText('Born: Day');
  expect(day.querySelectorAll('option')).toHaveLength(1 + 29);
  fireEvent.change(day, { target: { value: '29' } });
  // Moving the focus between month and day saves nothing.
  fireEvent.blur(month, { relatedTarget: day });
  expect(save).not.toHaveBeenCalled();
  fireEvent.keyDown(day, { key: 'Enter' });
  await waitFor(() => expect(save).toHaveBeenCalledWith('02-29'));
});
