// @vitest-environment jsdom
// The Persian day field has three parts and reports a day only if it is complete and within the
// limits.
import { fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { endTestApp, renderComponent, startTestApp } from '../shell/test-app.tsx';
import PersianDayField, { type PersianDayFieldProps } from './persian-day-field.tsx';

beforeAll(() => startTestApp('fas'));
afterEach(endTestApp);

const onPick = vi.fn<(day: string) => void>();
afterEach(() => onPick.mockReset());

function ControlledField({
  value,
  ...limits
}: { value: string } & Pick<PersianDayFieldProps, 'min' | 'max'>) {
  const [day, setDay] = useState(value);
  const onChange = (chosen: string) => {
    onPick(chosen);
    setDay(chosen);
  };
  return <PersianDayField label="تولد" value={day} onChange={onChange} {...limits} />;
}

const findSelect = (name: string) => screen.getByRole('combobox', { name }) as HTMLSelectElement;
const choose = (name: string, value: number) =>
  fireEvent.change(findSelect(name), { target: { value: String(value) } });
const listShown = () =>
  ['روز', 'ماه', 'سال'].map((name) => findSelect(name).selectedOptions[0]?.text);

test('the field shows a day in the Persian calendar and Persian digits', () => {
  renderComponent(<ControlledField value="2026-11-21" />);
  expect(listShown()).toEqual(['۳۰', 'آبان', '۱۴۰۵']);
});

test('the field reports a day once all three parts are set', () => {
  renderComponent(<ControlledField value="" />);
  choose('روز', 1);
  choose('ماه', 1);
  expect(onPick).not.toHaveBeenCalled();
  choose('سال', 1405);
  expect(onPick).toHaveBeenCalledExactlyOnceWith('2026-03-21');
});

test('the field uses the last day of a shorter month', () => {
  renderComponent(<ControlledField value="2026-09-22" />);
  expect(listShown()).toEqual(['۳۱', 'شهریور', '۱۴۰۵']);
  choose('ماه', 7);
  expect(onPick).toHaveBeenCalledWith('2026-10-22');
  expect(listShown()).toEqual(['۳۰', 'مهر', '۱۴۰۵']);
});

test('days outside the limits are not reported', () => {
  renderComponent(<ControlledField value="2026-11-20" min="2026-11-01" max="2026-11-21" />);
  choose('ماه', 9);
  expect(onPick).not.toHaveBeenCalled();
  choose('ماه', 8);
  choose('روز', 20);
  expect(onPick.mock.calls.map(([day]) => day)).toEqual(['2026-11-20', '2026-11-11']);
});
