// A document while it is edited: changed by functions, with steps back and forth. An editor keeps the rest of
// its state (what is selected …) beside the document in the same store.
import { temporal } from 'zundo';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

const STEPS = 50;
/** Edits of one thing within this time are one step back. */
const GROUP_MS = 1200;

/** A store whose `document` can be stepped through; all else of the state cannot. */
export function createDocumentStore<State extends { document: unknown }>(first: State) {
  return createStore<State>()(
    temporal(() => first, {
      limit: STEPS,
      partialize: ({ document }) => ({ document }) as Pick<State, 'document'>,
      equality: (before, after) => before.document === after.document,
    }),
  );
}

export type DocumentStore<State extends { document: unknown }> = ReturnType<
  typeof createDocumentStore<State>
>;

/** @param landed after a step: what was selected may be gone */
export function stepsOf<State extends { document: unknown }>(
  store: DocumentStore<State>,
  landed: () => void,
) {
  type Document = State['document'];
  const group = { name: '', at: 0 };
  const history = store.temporal;
  const put = (document: Document) => store.setState({ document } as Partial<State>);
  const travel = (way: 'undo' | 'redo') => () => {
    group.name = '';
    history.getState()[way]();
    landed();
  };
  return {
    /** Changes the document. Edits with the same `name` in quick succession are undone together. */
    edit: (change: (document: Document) => Document, name = '') => {
      const { document } = store.getState();
      const changed = change(document);
      if (changed === document) return;
      const now = performance.now();
      const isMore = name !== '' && group.name === name && now - group.at < GROUP_MS;
      Object.assign(group, { name, at: now });
      if (!isMore) return put(changed);
      history.getState().pause();
      put(changed);
      history.getState().resume();
    },
    undo: travel('undo'),
    redo: travel('redo'),
    /** Another document altogether: the steps back belong to the old one. */
    begin: (document: Document) => {
      put(document);
      history.getState().clear();
    },
  };
}

/** How many steps there are back and forth. */
export function useSteps<State extends { document: unknown }>(
  store: DocumentStore<State>,
): { canUndo: boolean; canRedo: boolean } {
  const canUndo = useStore(store.temporal, (state) => state.pastStates.length > 0);
  const canRedo = useStore(store.temporal, (state) => state.futureStates.length > 0);
  return { canUndo, canRedo };
}
