// Context of the editing components: an editor defines its merge tags, links and colors once. Each
// value is stable during editing, so that it causes no re-render.
import { createContext, useContext } from 'react';

export interface MergeTag {
  name: string;
  /** Label in the user's language. */
  title: string;
  kind: 'person' | 'field' | 'variable' | 'list' | 'system';
  /** True if the tag has a value for every subscriber. */
  isRequired?: boolean;
}

export interface EditingSettings {
  /** Available merge tags; if there are none, there is no menu. */
  mergeTags: readonly MergeTag[];
  /** The account's colors, listed before the default ones. */
  colors: readonly string[];
  /** Link targets that the content provides, besides web addresses. */
  links: readonly { label: string; href: string }[];
}

const NOTHING: EditingSettings = { mergeTags: [], colors: [], links: [] };

export const EditingContext = createContext<EditingSettings>(NOTHING);

export function useEditingContext(): EditingSettings {
  return useContext(EditingContext);
}
