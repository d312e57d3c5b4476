// Saves the postal address from a form without a time zone: the endpoint requires one, so the
// account's current zone is sent.
import { client } from '#platform/web/api/api.ts';
import type { calls } from '../../contract.ts';
import type { AddressValues } from './address-values.ts';

const api = client<Pick<typeof calls, 'getSession' | 'saveAccountQuestionnaire'>>();

export async function saveAddress(values: AddressValues): Promise<void> {
  // The zone is read now, because another tab may have changed it since this one was opened.
  const { timezone } = (await api('GET /client-api/api/users')).data.account;
  await api('PATCH /client-api/api/account_questionnaire', { body: { ...values, timezone } });
}
