// @vitest-environment jsdom
// The fields of a postal address: choosing a country with a single time zone proposes that zone.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { useServerForm } from '#platform/web/forms.ts';
import { endTestApp, renderComponent, startTestApp } from '#platform/web/shell/test-app.tsx';
import { AddressFields, ZoneField } from './address-fields.tsx';

beforeAll(() => startTestApp());
afterEach(endTestApp);

function Address() {
  const { form } = useServerForm({
    initialValues: {
      ...{ address: '', city: '', state: '', zip_code: '', country: '' },
      timezone: 'Europe/Oslo',
    },
    send: async () => undefined,
  });
  return (
    <>
      <AddressFields form={form} onZone={(zone) => form.setFieldValue('timezone', zone)} />
      <ZoneField zone={form.getValues().timezone} field={form.getInputProps('timezone')} />
    </>
  );
}

test('choosing a country with one time zone selects that zone; a country with several leaves the zone unchanged', async () => {
  renderComponent(<Address />);
  const country = screen.getByRole('combobox', { name: 'Country' });
  const zone = screen.getByRole<HTMLInputElement>('combobox', { name: 'Time zone' });
  expect(zone.value).toContain('Europe/Oslo');
  const choose = async (name: string) => {
    fireEvent.click(country);
    fireEvent.click(await screen.findByText(name));
  };
  await choose('Lithuania');
  await waitFor(() => expect(zone.value).toContain('Europe/Vilnius'));
  await choose('Germany');
  await waitFor(() => expect((country as HTMLInputElement).value).toBe('Germany'));
  expect(zone.value).toContain('Europe/Vilnius');
});
