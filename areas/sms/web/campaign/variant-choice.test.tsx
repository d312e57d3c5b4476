// @vitest-environment jsdom
// The preview of an SMS campaign with an experiment shows each variant.
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { queryClient } from '#platform/web/api/queries.ts';
import { endTestApp, renderPiece, startTestApp } from '#platform/web/shell/test-app.tsx';
import type { SmsCampaign } from '../../contract.ts';
import { CampaignPreview } from './campaign-preview.tsx';
import { useVariantChoice } from './variant-choice.tsx';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  queryClient.clear();
  vi.unstubAllGlobals();
});

const CAMPAIGN = {
  ...{ id: 'c1', text: 'First text', phone_id: 'p1', sender: '+15125550177' },
  ...{ add_organization_name: 'FALSE', append_opt_out: 'FALSE', google_analytics: 'FALSE' },
  experiment: { variants: 2 },
} as SmsCampaign;

function Preview() {
  const { shown, isControl, choice } = useVariantChoice(CAMPAIGN);
  return (
    <>
      <CampaignPreview campaign={shown} choice={choice} />
      <output>{isControl ? 'control' : 'variant'}</output>
    </>
  );
}

test('each variant of an SMS campaign has a preview', async () => {
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    if (path.endsWith('/experiment')) {
      const variants = [
        { number: 1, id: null, text: null },
        { number: 2, id: 'v2', text: 'Second text' },
      ];
      return Response.json({ data: { state: 'draft', rest: null, variants } });
    }
    if (init?.method !== 'POST') return Response.json({ data: [] });
    const { text } = JSON.parse(String(init.body));
    return Response.json({ data: { shown: { text: `${text}!` }, worst: { text } } });
  });
  renderPiece(<Preview />);
  await screen.findByText('First text!');
  fireEvent.click(await screen.findByRole('radio', { name: 'B' }));
  await screen.findByText('Second text!');
  expect(screen.getByText('variant')).toBeTruthy();
});
