// @vitest-environment jsdom
// Tests shared components: their states, their labels, and keyboard use.
import { NumberInput, Select } from '@mantine/core';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../api-error.ts';
import { endTestApp, renderComponent, startTestApp } from '../shell/test-app.tsx';
import { showLanguage } from '../texts/texts.ts';
import { confirm } from './confirm.tsx';
import { CopyButton } from './copy-button.tsx';
import { promptInput, STAY_OPEN } from './input-dialog.tsx';
import { RowMenu } from './row-menu.tsx';
import { SaveState } from './save-state.tsx';
import { SearchableMultiSelect, SearchableSelect } from './searchable-select.tsx';
import { Sheet } from './sheet.tsx';
import { EmptyState, FailedState, LoadingState } from './states.tsx';
import { SuggestField } from './suggest-field.tsx';

beforeAll(() => startTestApp());
afterEach(endTestApp);

function type(field: HTMLElement, value: string): void {
  fireEvent.change(field, { target: { value } });
}

function invalid(errors: Record<string, string[]>): ApiError {
  return new ApiError({ status: 422, code: 'x', message: '', errors, showsServerMessage: false });
}

describe('the input dialog', () => {
  const question = { title: 'New field', label: 'Title', confirm: 'Create' } as const;

  async function submit(value: string): Promise<void> {
    const field = await screen.findByLabelText('Title');
    type(field, value);
    fireEvent.click(screen.getByRole('button', { name: 'Create' }));
  }

  it('requires a title of at least three characters in subscribersField mode', async () => {
    renderComponent(null);
    const pending = promptInput({ ...question, type: 'text', subscribersField: true });
    await submit('  ');
    await screen.findByText('Field is required');
    await submit('ab');
    await screen.findByText('Title is too short');
    await submit('<b>Size</b>');
    expect(await pending).toBe('Size');
  });

  it.each([
    ['text', '', 'This field is required'],
    ['email', 'nobody', 'Please enter a valid email address'],
    ['url', 'ftp://example.com', 'Please enter a URL'],
    ['tel', '+3706', 'The phone number is too short'],
  ] as const)('refuses an invalid %s', async (kind, value, message) => {
    renderComponent(null);
    void promptInput({ ...question, type: kind });
    await submit(value);
    expect(await screen.findByText(message)).toBeTruthy();
  });

  it.each([
    ['shop.example/a?b=1&c=2', 'https://shop.example/a?b=1&c=2'],
    ['//shop.example', 'https://shop.example'],
    ['shop.example:8080', 'https://shop.example:8080'],
    ['http://shop.example', 'http://shop.example'],
  ])('completes the URL %s', async (typed, completed) => {
    renderComponent(null);
    const pending = promptInput({ ...question, type: 'url' });
    await submit(typed);
    expect(await pending).toBe(completed);
  });

  it('stays open when `send` resolves to STAY_OPEN', async () => {
    renderComponent(null);
    const send = vi.fn<(value: string) => Promise<unknown>>().mockResolvedValueOnce(STAY_OPEN);
    const pending = promptInput({ ...question, type: 'tel', send });
    await submit('+37061234567');
    await waitFor(() => expect(send).toHaveBeenCalledOnce());
    await submit('+37061234568');
    expect(await pending).toBe('+37061234568');
  });

  it('limits its input to maxLength characters', async () => {
    renderComponent(null);
    void promptInput({ ...question, type: 'text', maxLength: 5 });
    const field = await screen.findByLabelText<HTMLInputElement>('Title');
    expect(field.maxLength).toBe(5);
    await submit('123456');
    expect(await screen.findByText('Please use text no more than 5 characters')).toBeTruthy();
  });

  it("shows the server's message below the field and stays open", async () => {
    renderComponent(null);
    const send = vi
      .fn<(value: string) => Promise<unknown>>()
      .mockRejectedValueOnce(invalid({ title: ['There is one already.'] }));
    const pending = promptInput({ ...question, type: 'text', send });
    await submit('Twice');
    await screen.findByText('There is one already.');
    await submit('Once');
    expect(await pending).toBe('Once');
    expect(send.mock.calls).toEqual([['Twice'], ['Once']]);
  });

  it('resolves to undefined when it is canceled', async () => {
    renderComponent(null);
    const pending = promptInput({
      ...question,
      type: 'select',
      options: [{ value: 'a', label: 'A' }],
    });
    fireEvent.click(await screen.findByRole('button', { name: 'Cancel' }));
    expect(await pending).toBeUndefined();
  });
});

describe('the confirmation', () => {
  const question = { title: 'Delete?', message: 'Deletes 3 groups.', confirm: 'Delete 3 groups' };

  it('confirms only after the required word is typed', async () => {
    renderComponent(null);
    const confirmation = confirm({ ...question, requiredText: 'DELETE' });
    const button = await screen.findByRole<HTMLButtonElement>('button', {
      name: 'Delete 3 groups',
    });
    expect(button.disabled).toBe(true);
    type(screen.getByRole('textbox'), 'DELETE');
    expect(button.disabled).toBe(false);
    fireEvent.click(button);
    expect(await confirmation).toBe(true);
  });

  it('accepts a count in the digits of any keyboard', async () => {
    renderComponent(null);
    void confirm({ ...question, requiredText: '120' });
    const button = await screen.findByRole<HTMLButtonElement>('button', {
      name: 'Delete 3 groups',
    });
    for (const [term, isReady] of [
      ['۱۲', false],
      ['۱۲۰', true],
      ['١٢٠', true],
    ] as const) {
      type(screen.getByRole('textbox'), term);
      expect(button.disabled).toBe(!isReady);
    }
  });

  it('stays open and shows the error if the action fails', async () => {
    renderComponent(null);
    const run = vi
      .fn<() => Promise<unknown>>()
      .mockRejectedValueOnce(invalid({ name: ['Still in use.'] }));
    const confirmation = confirm({ ...question, run });
    fireEvent.click(await screen.findByRole('button', { name: 'Delete 3 groups' }));
    await screen.findByText('name: Still in use.');
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(await confirmation).toBe(false);
  });
});

describe('selects', () => {
  it('a select shows that nothing was found', async () => {
    renderComponent(
      <SearchableSelect label="Country" data={['Norway', 'Sweden']} searchValue="zzz" />,
    );
    fireEvent.click(screen.getByRole('combobox'));
    const emptyText = await screen.findByText('No results found');
    // A listbox may contain options only.
    expect(emptyText.getAttribute('role')).toBe('option');
    expect(screen.queryByText('Norway')).toBeNull();
  });

  it('a select shows what to do once the maximum number of options is selected', async () => {
    renderComponent(
      <SearchableMultiSelect
        label="Groups"
        data={['a', 'b', 'c']}
        value={['a', 'b']}
        maxValues={2}
      />,
    );
    fireEvent.click(screen.getByRole('combobox'));
    expect(
      await screen.findByText('Please remove a selected option to choose another'),
    ).toBeTruthy();
  });

  /** Types with the focus in the field, unlike the browser's autofill. */
  function write(field: HTMLElement, value: string): void {
    act(() => field.focus());
    type(field, value);
  }
  const countries = ['Equatorial Guinea', 'Guinea', 'Norway', 'São Tomé', 'Sweden'];

  it('a searchable select selects the first match on Enter, best match first', async () => {
    const onChange = vi.fn<(value: string | null) => void>();
    renderComponent(<SearchableSelect label="Country" data={countries} onChange={onChange} />);
    const field = screen.getByRole('combobox');
    for (const [typed, accepted] of [
      ['gui', 'Guinea'],
      ['sao', 'São Tomé'],
      ['wed', 'Sweden'],
    ] as const) {
      write(field, typed);
      await screen.findByText(accepted);
      fireEvent.keyDown(field, { key: 'Enter', code: 'Enter' });
      await waitFor(() => expect(onChange).toHaveBeenLastCalledWith(accepted, expect.anything()));
    }
  });

  it('a multiselect with search selects the first match on Enter', async () => {
    const onChange = vi.fn<(value: string[]) => void>();
    renderComponent(
      <SearchableMultiSelect label="Countries" data={countries} onChange={onChange} />,
    );
    const field = screen.getByRole('combobox');
    write(field, 'nor');
    await screen.findByText('Norway');
    fireEvent.keyDown(field, { key: 'Enter', code: 'Enter' });
    await waitFor(() => expect(onChange).toHaveBeenCalledWith(['Norway']));
  });

  it('a searchable select selects on Enter even an option that the server returned after the input', async () => {
    const onChange = vi.fn<(value: string | null) => void>();
    function Person() {
      const [data, setData] = useState<string[]>([]);
      return (
        <>
          <SearchableSelect
            label="Person"
            value={null}
            data={data}
            filter={({ options }) => options}
            onChange={onChange}
          />
          <button type="button" onClick={() => setData(['ann@shop.example', 'b@shop.example'])}>
            answer
          </button>
        </>
      );
    }
    renderComponent(<Person />);
    const field = screen.getByRole('combobox');
    write(field, 'ann');
    fireEvent.click(screen.getByText('answer'));
    await screen.findByText('ann@shop.example');
    fireEvent.keyDown(field, { key: 'Enter', code: 'Enter' });
    await waitFor(() =>
      expect(onChange).toHaveBeenCalledWith('ann@shop.example', expect.anything()),
    );
  });

  it('a searchable select lists all entries and opens on click, not on focus', async () => {
    const data = Array.from({ length: 418 }, (_, number) => `Zone ${number}`);
    renderComponent(<SearchableSelect label="Zone" data={data} value="Zone 400" />);
    const field = screen.getByRole<HTMLInputElement>('combobox');
    fireEvent.focus(field);
    expect(screen.queryByRole('option')).toBeNull();
    expect([field.selectionStart, field.selectionEnd]).toEqual([0, 'Zone 400'.length]);
    fireEvent.click(field);
    await screen.findByText('Zone 400');
    expect(document.querySelectorAll('[data-combobox-option]')).toHaveLength(418);
  });

  it('a searchable select neither marks an option nor scrolls when it is mounted', async () => {
    const scrollSpy = vi.spyOn(Element.prototype, 'scrollIntoView');
    renderComponent(
      <SearchableSelect
        label="Zone"
        data={['UTC', 'Oslo']}
        comboboxProps={{ keepMounted: true }}
        selectFirstOptionOnChange
      />,
    );
    await waitFor(() =>
      expect(document.querySelectorAll('[data-combobox-option]')).toHaveLength(2),
    );
    await new Promise((settle) => setTimeout(settle, 50));
    expect(scrollSpy).not.toHaveBeenCalled();
    expect(document.querySelector('[data-combobox-selected]')).toBeNull();
    scrollSpy.mockRestore();
  });

  it('a searchable select with an error opens its list above, where it does not cover the error', async () => {
    const placeOf = async (error?: string) => {
      const { unmount } = renderComponent(
        <SearchableSelect label="Zone" data={['UTC']} error={error} />,
      );
      fireEvent.click(screen.getByRole('combobox'));
      const list = (await screen.findByText('UTC')).closest('[data-position]');
      const position = list?.getAttribute('data-position');
      unmount();
      return position;
    };
    expect(await placeOf()).toBe('bottom');
    expect(await placeOf('Required')).toBe('top-start');
  });

  it('a multiselect with search creates and selects an option that is not found', async () => {
    const onChange = vi.fn<(values: string[]) => void>();
    const onCreate = vi.fn<(text: string) => Promise<string>>(async () => 'new-id');
    renderComponent(
      <SearchableMultiSelect
        label="Groups"
        data={[{ value: 'a', label: 'Readers' }]}
        value={['a']}
        onChange={onChange}
        onCreate={onCreate}
      />,
    );
    const field = screen.getByRole('combobox');
    // An option with this label exists.
    write(field, 'readers');
    expect(screen.queryByText(/^Create/)).toBeNull();
    write(field, 'خوانندگان');
    await screen.findByText('Create “خوانندگان”');
    fireEvent.keyDown(field, { key: 'Enter', code: 'Enter' });
    await waitFor(() => expect(onChange).toHaveBeenCalledWith(['a', 'new-id']));
    expect(onCreate).toHaveBeenCalledWith('خوانندگان');
  });

  it('a select selects the highlighted entry even if keys are pressed immediately after it opens', async () => {
    const onChange = vi.fn<(value: string | null) => void>();
    renderComponent(
      <Select
        label="Operator"
        data={['equals', 'starts', 'contains']}
        value="equals"
        onChange={onChange}
      />,
    );
    const field = screen.getByRole('combobox');
    vi.useFakeTimers();
    fireEvent.keyDown(field, { key: 'Enter', code: 'Enter' });
    for (let i = 0; i < 3; i++) fireEvent.keyDown(field, { key: 'ArrowDown', code: 'ArrowDown' });
    await act(async () => vi.advanceTimersByTime(50));
    vi.useRealTimers();
    expect(document.querySelector('[data-combobox-selected]')?.textContent).toBe('contains');
    fireEvent.keyDown(field, { key: 'Enter', code: 'Enter' });
    expect(onChange.mock.calls[0]?.[0]).toBe('contains');
  });

  it('a field with suggestions requests them for the newest input after a pause, and shows a message if there are none', async () => {
    vi.useFakeTimers();
    const suggest = vi.fn<(term: string) => Promise<{ id: string; value: string }[]>>(
      async (term) => (term === 'none' ? [] : [{ id: '1', value: `${term} street` }]),
    );
    const onPick = vi.fn<(item: { id: string; value: string }) => void>();
    renderComponent(
      <SuggestField
        label="Address"
        value=""
        onChange={() => {}}
        suggest={suggest}
        onPick={onPick}
      />,
    );
    const field = screen.getByRole('textbox', { name: 'Address' });
    type(field, 'old');
    await vi.advanceTimersByTimeAsync(100);
    type(field, 'main');
    await act(() => vi.advanceTimersByTimeAsync(149));
    expect(suggest).not.toHaveBeenCalled();
    await act(() => vi.advanceTimersByTimeAsync(1));
    expect(suggest.mock.calls.map(([term]) => term)).toEqual(['main']);
    vi.useRealTimers();
    fireEvent.click(await screen.findByText('main street'));
    expect(onPick).toHaveBeenCalledWith({ id: '1', value: 'main street' });
    type(field, 'none');
    expect(await screen.findByText('No addresses found')).toBeTruthy();
  });

  it('a field with suggestions requests nothing for input that was shortened or replaced by a suggestion', async () => {
    vi.useFakeTimers();
    const suggest = vi.fn<(term: string) => Promise<{ id: string; value: string }[]>>(
      async (term) => [{ id: '1', value: `${term} street` }],
    );
    renderComponent(
      <SuggestField
        label="Address"
        value=""
        onChange={() => {}}
        suggest={suggest}
        onPick={() => {}}
      />,
    );
    const field = screen.getByRole('textbox', { name: 'Address' });
    type(field, 'main');
    type(field, 'ma');
    await act(() => vi.advanceTimersByTimeAsync(500));
    expect(suggest).not.toHaveBeenCalled();
    type(field, 'main');
    await act(() => vi.advanceTimersByTimeAsync(500));
    type(field, 'mains');
    fireEvent.click(screen.getByText('main street'));
    await act(() => vi.advanceTimersByTimeAsync(500));
    expect(suggest.mock.calls.map(([term]) => term)).toEqual(['main']);
    vi.useRealTimers();
  });

  it('a field with suggestions announces loading as a named status', async () => {
    renderComponent(
      <SuggestField
        label="Address"
        value=""
        onChange={() => {}}
        suggest={() => new Promise<never>(() => {})}
        onPick={() => {}}
      />,
    );
    type(screen.getByRole('textbox', { name: 'Address' }), 'main');
    expect(await screen.findByRole('status', { name: 'Loading' })).toBeTruthy();
  });
});

describe('empty, loading, failed', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('shows skeletons only after 200 ms', async () => {
    const { container } = renderComponent(<LoadingState rows={2} />);
    const shapes = () => container.querySelector<HTMLElement>('[aria-busy] > div');
    expect(shapes()?.style.visibility).toBe('hidden');
    await act(() => vi.advanceTimersByTimeAsync(200));
    expect(shapes()?.style.visibility).toBe('visible');
  });

  it('offers the action of an empty list, and a retry of a failed list', () => {
    const retry = vi.fn<() => void>();
    renderComponent(
      <>
        <EmptyState title="No groups yet" action={<button type="button">Create</button>} />
        <FailedState error={invalid({})} retry={retry} />
      </>,
    );
    expect(screen.getByRole('heading', { name: 'No groups yet' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Create' })).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(retry).toHaveBeenCalledTimes(1);
  });
});

describe('actions', () => {
  it('opens the actions of a row, without hidden actions', async () => {
    const run = vi.fn<(row: { id: number }) => void>();
    const row = { id: 7 };
    const actions = [
      { label: 'Rename', run },
      { label: 'Hidden', run, isHidden: () => true },
    ];
    renderComponent(<RowMenu row={row} name="Friends" actions={actions} />);
    fireEvent.click(screen.getByRole('button', { name: 'Actions for Friends' }));
    fireEvent.click(await screen.findByText('Rename'));
    expect(run).toHaveBeenCalledWith(row);
    expect(screen.queryByText('Hidden')).toBeNull();
  });

  it('requests to open a sheet when its button is clicked', async () => {
    const onChange = vi.fn<(isOpen: boolean) => void>();
    renderComponent(
      <Sheet
        isOpen={false}
        onChange={onChange}
        label="Filters"
        target={<button type="button">Filter</button>}
      >
        inside
      </Sheet>,
    );
    const button = screen.getByRole('button', { name: 'Filter' });
    expect(button.getAttribute('aria-expanded')).toBe('false');
    fireEvent.click(button);
    expect(onChange).toHaveBeenCalledWith(true);
  });

  it('shows whether copying succeeded', async () => {
    const writeText = vi
      .fn<(text: string) => Promise<void>>()
      .mockResolvedValueOnce(undefined)
      .mockRejectedValueOnce(new Error());
    Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true });
    renderComponent(<CopyButton value="v=spf1" />);
    const button = screen.getByRole('button', { name: 'Copy' });
    fireEvent.click(button);
    expect(await screen.findByText('Text successfully copied to clipboard')).toBeTruthy();
    expect(writeText).toHaveBeenCalledWith('v=spf1');
    fireEvent.click(button);
    expect(await screen.findByText('Failed to copy text')).toBeTruthy();
  });

  it('shows the save state, even offline', async () => {
    renderComponent(<SaveState state="saving" />);
    expect(screen.getByRole('status').textContent).toBe('Saving');
    const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    act(() => void window.dispatchEvent(new Event('offline')));
    await waitFor(() => expect(screen.getByRole('status').textContent).toContain('Offline'));
    online.mockRestore();
  });
});

it('number fields read the digits of every keyboard', () => {
  const received = vi.fn<(value: number | string) => void>();
  renderComponent(<NumberInput label="Limit" onChange={received} />);
  const field = screen.getByLabelText('Limit');
  fireEvent.input(field, { target: { value: '۱۲٫۵' } });
  expect(received).toHaveBeenLastCalledWith(12.5);
  expect((field as HTMLInputElement).value).toBe('12.5');
});

it("number fields show the language's digits, even while the user types", async () => {
  const getValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.get;
  await showLanguage('fas');
  const received = vi.fn<(value: number | string) => void>();
  renderComponent(<NumberInput label="Limit" defaultValue={120} onChange={received} />);
  const field = screen.getByLabelText<HTMLInputElement>('Limit');
  expect(getValue?.call(field)).toBe('۱۲۰');
  field.focus();
  // The caret stays behind a digit that is typed between others.
  fireEvent.input(field, { target: { value: '۱7۲۰', selectionStart: 2, selectionEnd: 2 } });
  expect(received).toHaveBeenLastCalledWith(1720);
  expect([getValue?.call(field), field.selectionStart]).toEqual(['۱۷۲۰', 2]);
  // The browser's repeated event on blur changes nothing.
  fireEvent(field, new Event('change', { bubbles: true }));
  expect(received).toHaveBeenCalledTimes(1);
  fireEvent.input(field, { target: { value: '۱۲.۵' } });
  expect(received).toHaveBeenLastCalledWith(12.5);
  expect(getValue?.call(field)).toBe('۱۲٫۵');
  fireEvent.keyDown(field, { key: 'ArrowUp' });
  expect(getValue?.call(field)).toBe('۱۳٫۵');
  // The same number in digits of another keyboard fires no event.
  const times = received.mock.calls.length;
  fireEvent.input(field, { target: { value: '13.5' } });
  expect([getValue?.call(field), received.mock.calls.length]).toEqual(['۱۳٫۵', times]);
  // An input method's composition stays unchanged until it ends.
  fireEvent.compositionStart(field);
  fireEvent.input(field, { target: { value: '17' } });
  expect(getValue?.call(field)).toBe('17');
  expect(received).toHaveBeenLastCalledWith(17);
  fireEvent.compositionEnd(field);
  expect(getValue?.call(field)).toBe('۱۷');
  fireEvent.input(field, { target: { value: '13.5' } });
  await act(() => showLanguage('eng'));
  expect(getValue?.call(field)).toBe('13.5');
});
