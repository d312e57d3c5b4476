// The open state of the command palette and of the list of shortcuts.
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
