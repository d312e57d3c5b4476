// Saves the postal address where the form shows no time zone: the call wants one, and the account keeps its.
import { client } from '#platform/web/api.ts';
import type { calls } from '../../contract.ts';
import type { AddressValues } from './address-values.ts';

const api = client<Pick<typeof calls, 'getSession' | 'saveAccountQuestionnaire'>>();

export async function saveAddress(values: AddressValues): Promise<void> {
  // Asked for now: an open tab would put back the zone of an hour ago.
  const { timezone } = (await api('GET /client-api/api/users')).data.account;
  await api('PATCH /client-api/api/account_questionnaire', { body: { ...values, timezone } });
}
