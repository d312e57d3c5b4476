// The account's brand in the editor: color swatches, and the logo for headers.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Color } from '../../document.ts';
import { api } from '../queries.ts';

export function useBrand() {
  return useQuery({
    ...api.query('GET /client-api/api/brand'),
    staleTime: 60_000,
    meta: { notFound: 'inline' },
  }).data?.data;
}

/** Returns the brand's distinct colors, as the same array until the brand changes. */
export function useBrandColors(): readonly Color[] {
  const brand = useBrand();
  return useMemo(() => {
    if (!brand) return [];
    const brandColors = [
      brand.button_background,
      brand.heading_color,
      brand.text_color,
      brand.link_color,
      brand.background,
      brand.content_background,
    ].filter((color) => color !== null);
    return [...new Set([...brand.colors, ...brandColors])];
  }, [brand]);
}
