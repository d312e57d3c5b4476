// A document during editing: changed by functions, with undo and redo. An editor stores the rest of
// its state (selection …) with the document in the same store.
import { temporal } from 'zundo';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

const STEPS = 50;
/** Edits of the same element within this time are one undo step. */
const GROUP_MS = 1200;

/** Creates a store with undo history for `document` only, not for the rest of its state. */
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

/**
 * @param onLanded runs after each undo or redo, for instance because the selection may no longer
 * exist
 */
export function createHistorySteps<State extends { document: unknown }>(
  store: DocumentStore<State>,
  onLanded: () => void,
) {
  type Document = State['document'];
  const group = { name: '', at: 0 };
  const history = store.temporal;
  const setDocument = (document: Document) => store.setState({ document } as Partial<State>);
  const travel = (direction: 'undo' | 'redo') => () => {
    group.name = '';
    history.getState()[direction]();
    onLanded();
  };
  return {
    /** Changes the document. Edits with the same `name` in quick succession form one undo step. */
    edit: (change: (document: Document) => Document, name = '') => {
      const { document } = store.getState();
      const changedDocument = change(document);
      if (changedDocument === document) return;
      const now = performance.now();
      const isMore = name !== '' && group.name === name && now - group.at < GROUP_MS;
      Object.assign(group, { name, at: now });
      if (!isMore) return setDocument(changedDocument);
      history.getState().pause();
      setDocument(changedDocument);
      history.getState().resume();
    },
    undo: travel('undo'),
    redo: travel('redo'),
    /** Replaces the document and clears the undo history. */
    begin: (document: Document) => {
      setDocument(document);
      history.getState().clear();
    },
  };
}

/** Returns whether there is a step to undo, and one to redo. */
export function useSteps<State extends { document: unknown }>(
  store: DocumentStore<State>,
): { canUndo: boolean; canRedo: boolean } {
  const canUndo = useStore(store.temporal, (state) => state.pastStates.length > 0);
  const canRedo = useStore(store.temporal, (state) => state.futureStates.length > 0);
  return { canUndo, canRedo };
}
