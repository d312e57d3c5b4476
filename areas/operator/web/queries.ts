// API client, paths and tabs of the operator's screens.
import { client } from '#platform/web/api/api.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();

export const HEALTH = '/client-api/api/operator/health';
export const ACCOUNTS = '/client-api/api/operator/accounts';
export const SENDERS = '/client-api/api/operator/senders';
export const buildAccountPath = (id: string) => `/operator/accounts/${id}`;

export function useOperatorTabs() {
  const t = useTexts('operator');
  return [
    { to: '/operator', label: t('tabs.health') },
    { to: '/operator/accounts', label: t('tabs.accounts') },
    { to: '/operator/senders', label: t('tabs.senders') },
  ];
}
