// What an editor gives the pieces of the kit: whoever builds one says once what may be named, linked to and
// chosen from. Each value stays the same while somebody writes, so that nothing is drawn again for it.
import { createContext, useContext } from 'react';

export interface MergeTag {
  name: string;
  /** In the reader's language. */
  title: string;
  kind: 'person' | 'field' | 'variable' | 'system';
}

export interface Surroundings {
  /** What words may fill in; without any there is no menu of them. */
  mergeTags: readonly MergeTag[];
  /** The account's colours, before the usual ones. */
  colours: readonly string[];
  /** Addresses that what is written brings along, beside those of the web. */
  links: readonly { label: string; href: string }[];
}

const NOTHING: Surroundings = { mergeTags: [], colours: [], links: [] };

export const SurroundingsContext = createContext<Surroundings>(NOTHING);

export function useSurroundings(): Surroundings {
  return useContext(SurroundingsContext);
}
