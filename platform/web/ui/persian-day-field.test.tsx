// @vitest-environment jsdom
// The Persian day field has three parts, and reports a day only if it is complete and within the
// limits.
import { fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { endTestApp, renderComponent, startTestApp } from '../shell/test-app.tsx';
import PersianDayField, { type PersianDayFieldProps } from './persian-day-field.tsx';

beforeAll(() => startTestApp('fas'));
afterEach(endTestApp);

const picked = vi.fn<(day: string) => void>();
afterEach(() => picked.mockReset());

function ControlledField({
  value,
  ...limits
}: { value: string } & Pick<PersianDayFieldProps, 'min' | 'max'>) {
  const [day, setDay] = useState(value);
  const onChange = (chosen: string) => {
    picked(chosen);
    setDay(chosen);
  };
  return <PersianDayField label="تولد" value={day} onChange={onChange} {...limits} />;
}

const part = (name: string) => screen.getByRole('combobox', { name }) as HTMLSelectElement;
const choose = (name: string, value: number) =>
  fireEvent.change(part(name), { target: { value: String(value) } });
const shown = () => ['روز', 'ماه', 'سال'].map((name) => part(name).selectedOptions[0]?.text);

test('shows a day in its own calendar and digits', () => {
  renderComponent(<ControlledField value="2026-11-21" />);
  expect(shown()).toEqual(['۳۰', 'آبان', '۱۴۰۵']);
});

test('reports a day once all three parts are set', () => {
  renderComponent(<ControlledField value="" />);
  choose('روز', 1);
  choose('ماه', 1);
  expect(picked).not.toHaveBeenCalled();
  choose('سال', 1405);
  expect(picked).toHaveBeenCalledExactlyOnceWith('2026-03-21');
});

test('uses the last day of a shorter month', () => {
  renderComponent(<ControlledField value="2026-09-22" />);
  expect(shown()).toEqual(['۳۱', 'شهریور', '۱۴۰۵']);
  choose('ماه', 7);
  expect(picked).toHaveBeenCalledWith('2026-10-22');
  expect(shown()).toEqual(['۳۰', 'مهر', '۱۴۰۵']);
});

test('does not report days outside its limits', () => {
  renderComponent(<ControlledField value="2026-11-20" min="2026-11-01" max="2026-11-21" />);
  choose('ماه', 9);
  expect(picked).not.toHaveBeenCalled();
  choose('ماه', 8);
  choose('روز', 20);
  expect(picked.mock.calls.map(([day]) => day)).toEqual(['2026-11-20', '2026-11-11']);
});
