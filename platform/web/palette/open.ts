// Whether the command palette and the list of shortcuts are open.
import { createStore } from '../store.ts';

export const paletteOpen = createStore(false);
export const keysOpen = createStore(false);

export const palette = {
  open: () => paletteOpen.set(true),
  close: () => paletteOpen.set(false),
};

export const keysHelp = {
  open: () => keysOpen.set(true),
  close: () => keysOpen.set(false),
};
