// Exports of the events area for the screens of areas that depend on it.
import { client } from '#platform/web/api/api.ts';
import type { calls } from '../contract.ts';

const api = client<typeof calls>();

/** Returns all types of custom events by name, for pickers. */
export const queryAllEvents = () =>
  api.query('GET /client-api/api/custom_events', {
    query: { no_paginate: 'true', order: 'title', direction: 'asc' },
  });
