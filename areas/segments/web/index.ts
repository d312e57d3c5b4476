// Exports of the segments area for other areas' screens. The builder, the chips, the preview and
// the code that saves a segment are loaded on demand.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { api } from './queries.ts';

export { offerCampaigns } from './campaign-options.ts';

export const FilterBuilder = lazyWithRetry(() => import('./filter-builder.tsx'));
export const FilterChips = lazyWithRetry(() => import('./filter-chips.tsx'));
export const LivePreview = lazyWithRetry(() => import('./live-preview.tsx'));

export const saveSegment = async (filter: string) =>
  (await import('./save-segment.ts')).saveSegment(filter);

/** Returns all segments by title, for pickers. */
export const queryAllSegments = () =>
  api.query('GET /client-api/api/filters', {
    query: { no_paginate: 'true', order: 'title', direction: 'asc' },
  });
