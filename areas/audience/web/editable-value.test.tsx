// @vitest-environment jsdom
// A value that is edited in place: Enter or leaving the input saves it, Escape cancels the edit,
// and errors are shown below the input.
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Language } from '#platform/web/texts/languages.ts';
import { ApiError } from '#platform/web/api-error.ts';
import { renderComponent, startTestApp } from '#platform/web/shell/test-app.tsx';
import { showLanguage } from '#platform/web/texts/texts.ts';
import { EditableValue } from './editable-value.tsx';

beforeAll(() => startTestApp());
afterEach(cleanup);

function startEditing(label: string): HTMLInputElement {
  fireEvent.click(screen.getByRole('button', { name: new RegExp(label) }));
  return screen.getByLabelText(label) as HTMLInputElement;
}

test('Enter saves a changed value without surrounding spaces and does not save an unchanged one', async () => {
  const save = vi.fn<(value: string) => Promise<unknown>>(async () => undefined);
  renderComponent(<EditableValue label="City" type="text" value="Oslo" save={save} />);
  const input = startEditing('City');
  expect(input.value).toBe('Oslo');
  fireEvent.change(input, { target: { value: ' Bergen ' } });
  fireEvent.keyDown(input, { key: 'Enter' });
  await waitFor(() => expect(save).toHaveBeenCalledWith('Bergen'));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button')));
  fireEvent.keyDown(startEditing('City'), { key: 'Enter' });
  await waitFor(() => screen.getByRole('button'));
  expect(save).toHaveBeenCalledTimes(1);
});

test('Escape cancels the edit', () => {
  const save = vi.fn<(value: string) => Promise<unknown>>(async () => undefined);
  renderComponent(<EditableValue label="City" type="text" value="Oslo" save={save} />);
  const input = startEditing('City');
  fireEvent.change(input, { target: { value: 'Bergen' } });
  fireEvent.keyDown(input, { key: 'Escape' });
  expect(screen.getByRole('button').textContent).toContain('Oslo');
  expect(document.activeElement).toBe(screen.getByRole('button'));
  expect(save).not.toHaveBeenCalled();
});

test('leaving the input does not save an unchanged date, so its seconds are kept', () => {
  const save = vi.fn<(value: string) => Promise<unknown>>(async () => undefined);
  renderComponent(
    <EditableValue label="Born" type="datetime" value="1990-01-12 10:20:30" save={save} />,
  );
  fireEvent.blur(startEditing('Born'));
  expect(screen.getByRole('button').textContent).toContain('1990');
  expect(save).not.toHaveBeenCalled();
});

test('a date is sent as YYYY-MM-DD hh:mm:ss; after an error the input remains open with the message', async () => {
  const save = vi.fn<(value: string) => Promise<unknown>>(async () => {
    throw new ApiError({
      status: 422,
      code: 'invalid',
      message: 'Some of this is not valid.',
      errors: { value: ['Please use the YYYY-MM-DD format'] },
      showsServerMessage: false,
    });
  });
  renderComponent(
    <EditableValue label="Born" type="datetime" value="1990-01-12 00:00:00" save={save} />,
  );
  const input = startEditing('Born');
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
  // Input that is not a number is sent as typed; the server rejects it with a message.
  ['eng', '1,23,4', '1,23,4'],
  ['eng', '12 34', '12 34'],
])(
  'with the language %s, the number typed as %s is saved as %s',
  async (language, typedText, expected) => {
    await showLanguage(language);
    try {
      const save = vi.fn<(value: string) => Promise<unknown>>(async () => undefined);
      renderComponent(<EditableValue label="Points" type="number" value="7" save={save} />);
      const input = startEditing('Points');
      fireEvent.change(input, { target: { value: typedText } });
      fireEvent.keyDown(input, { key: 'Enter' });
      await waitFor(() => expect(save).toHaveBeenCalledWith(expected));
    } finally {
      await showLanguage('eng');
    }
  },
);

test('a number is edited in the local format, and an ambiguous one shows an explanation and is not saved', async () => {
  await showLanguage('nor');
  try {
    const save = vi.fn<(value: string) => Promise<unknown>>(async () => undefined);
    renderComponent(<EditableValue label="Points" type="number" value="1.5" save={save} />);
    const input = startEditing('Points');
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
  'with the language %s, a number typed as it is displayed is not saved',
  async (language) => {
    await showLanguage(language);
    try {
      for (const value of ['1234', '1234567.5', '1.234', '-1234.25']) {
        const save = vi.fn<(value: string) => Promise<unknown>>(async () => undefined);
        renderComponent(<EditableValue label="Points" type="number" value={value} save={save} />);
        const displayed = screen.getByRole('button').textContent.replace(/^Points /, '');
        const input = startEditing('Points');
        fireEvent.change(input, { target: { value: `${displayed} ` } });
        fireEvent.keyDown(input, { key: 'Enter' });
        // The typed number is the stored one, so nothing is saved.
        await waitFor(() => screen.getByRole('button'));
        expect(save).not.toHaveBeenCalled();
        cleanup();
      }
    } finally {
      await showLanguage('eng');
    }
  },
);

test('a birthday is displayed with the name of its month and saved as MM-DD', async () => {
  const save = vi.fn<(value: string) => Promise<unknown>>(async () => undefined);
  renderComponent(<EditableValue label="Born" type="birthday" value="05-12" save={save} />);
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
