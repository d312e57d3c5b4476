// An account with three subscribers, one group and three fields, and helpers for its subscriber
// list.
import { expect } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import type { TestOwner, TestServer } from '../setup/server.ts';

const API = '/client-api/api';
const LIST_PATH = `${API}/subscribers`;

/** Adds a subscriber and advances the clock by a second. */
export async function addSubscriber(owner: TestOwner, body: object): Promise<string> {
  const response = await owner.post(LIST_PATH, body);
  expect(response.status).toBe(200);
  clock.advance(1000);
  return response.body.data.id;
}

/**
 * Returns the addresses on one page of the list, with the phone numbers of subscribers without an
 * email address.
 */
export async function listAddresses(owner: TestOwner, query: string): Promise<string[]> {
  const { body } = await owner.get(`${LIST_PATH}?${query}`);
  return body.data.map((row: { email: string | null; phone: string }) => row.email ?? row.phone);
}

/** Returns the query that lists all matching subscribers, sorted by address. */
export const buildListQuery = (text: string) =>
  `order=title&direction=asc&filter=${encodeURIComponent(text)}`;

export async function openShop(server: TestServer) {
  const owner = await server.owner();
  const group = (await owner.post(`${API}/tags`, { title: 'VIP' })).body.data.id;
  const city = (await owner.post(`${API}/fields`, { title: 'City', type: 'text' })).body.data.id;
  const visits = (await owner.post(`${API}/fields`, { title: 'Visits', type: 'number' })).body.data
    .id;
  const sinceField = (await owner.post(`${API}/fields`, { title: 'Since', type: 'datetime' })).body
    .data.id;
  const ada = await addSubscriber(owner, {
    email: 'ada@x.example',
    firstname: 'Ada',
    lastname: 'Lovelace',
    groups: [group],
    fields: { [city]: 'Oslo', [visits]: 3, [sinceField]: '2026-01-31' },
  });
  const bob = await addSubscriber(owner, {
    email: 'bob@x.example',
    firstname: 'Bob',
    fields: { [city]: 'Rīga' },
  });
  const phone = await addSubscriber(owner, { phone: '+370 612 34567', lastname: 'Phone' });
  return { owner, group, city, visits, since: sinceField, ada, bob, phone };
}
