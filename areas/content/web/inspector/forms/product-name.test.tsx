// @vitest-environment jsdom
// A product of a connected store is inserted with its formatted price and, if known, the currency.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { endTestApp, renderComponent, startTestApp } from '#platform/web/shell/test-app.tsx';
import { createBlock } from '../../../document-factory.ts';
import { ProductName } from './product-name.tsx';

const block = createBlock('product', { name: 'Tea' });

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

it.each([
  ['', '1,234.5'],
  ['EUR', '€1,234.50'],
])('a price in the currency “%s” becomes %s', async (currency, price) => {
  const product = { id: 'p', title: 'Tea pot', price: 1234.5, currency, url: null };
  const products = [{ ...product, image_url: null }];
  vi.stubGlobal('fetch', async () => Response.json({ data: { stores: [], products } }));
  const change = vi.fn<(fields: object) => void>();
  renderComponent(<ProductName block={block} change={change} />);
  await screen.findByText(/^Type to find a product/);
  const field = screen.getByLabelText('Product name', { selector: 'input' });
  fireEvent.change(field, { target: { value: 'Tea p' } });
  fireEvent.click(await screen.findByText('Tea pot'));
  await waitFor(() => expect(change).toHaveBeenLastCalledWith(expect.objectContaining({ price })));
});
