// Interface of providers of stock photos and GIFs. main/ creates the providers that have a
// configured key.
import type { StockImage, StockKind } from '../../stock-contract.ts';

export interface StockProvider {
  kind: StockKind;
  /** Product name, shown beside the results. */
  name: string;
  /** Page of the service, which its terms require to be linked. */
  website: string;
  search: (query: {
    searchText: string;
    /** From 1. */
    page: number;
    /** BCP 47. */
    locale: string;
  }) => Promise<{ images: StockImage[]; hasMore: boolean }>;
  /** Address and name of the file of one result; undefined if it no longer exists. */
  find: (id: string) => Promise<{ url: string; name: string } | undefined>;
}
