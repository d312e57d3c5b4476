// The web door of custom events: what screens of higher floors may use.
import { client } from '#platform/web/api.ts';
import type { calls } from '../contract.ts';

const api = client<typeof calls>();

/** All kinds of custom events by name, for pickers. */
export const allEvents = () =>
  api.query('GET /client-api/api/custom_events', {
    query: { no_paginate: 'true', order: 'title', direction: 'asc' },
  });
