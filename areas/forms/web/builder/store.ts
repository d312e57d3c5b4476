// The state of an open builder: the draft with 50 undo steps, the tab, the selection.
import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { FormBlock, FormDocument, FormType, Styles } from '#embed/forms/shared/document.ts';
import {
  createDocumentStore,
  createHistorySteps,
  useSteps,
} from '#platform/web/editing/history.ts';
import type { FormSettings } from '../../settings-contract.ts';
import { listBlocks, changeBlock, type FormDraft, type FormSide } from './draft.ts';

export const TABS = ['content', 'design', 'settings', 'behaviour', 'success'] as const;
export type BuilderTab = (typeof TABS)[number];

export interface BuilderState {
  document: FormDraft;
  tab: BuilderTab;
  /** Index of the step that is shown. */
  step: number;
  /** The selected block, on the step or success view that is shown. */
  selectedId: string | null;
  view: 'desktop' | 'phone';
  /** Called with the picture that the user chooses in the library. */
  onImageChosen: ((image: { url: string; alt: string }) => void) | null;
  isSheetOpen: boolean;
  /** The announcement for screen readers. */
  announcement: string;
}

export function createBuilder(draft: FormDraft, form: { id: string; type: FormType }) {
  const store = createDocumentStore<BuilderState>({
    document: draft,
    tab: 'content',
    step: 0,
    selectedId: null,
    view: 'desktop',
    onImageChosen: null,
    isSheetOpen: false,
    announcement: '',
  });
  const { edit, undo, redo, begin } = createHistorySteps(store, () => {
    const { document, step } = store.getState();
    const lastStep = document.document.steps.length - 1;
    if (step > lastStep) store.setState({ step: lastStep });
    const isSelectedShown = listBlocks(document.document, toSide(store.getState())).some(
      ({ id }) => id === store.getState().selectedId,
    );
    if (!isSelectedShown) store.setState({ selectedId: null });
  });
  const editDocument = (change: (document: FormDocument) => FormDocument, name?: string) =>
    edit((draft) => {
      const document = change(draft.document);
      return document === draft.document ? draft : { ...draft, document };
    }, name);
  return {
    ...form,
    store,
    edit,
    undo,
    redo,
    replace: (draft: FormDraft) => {
      store.setState({ selectedId: null, step: 0 });
      begin(draft);
    },
    editDocument,
    editBlock: (id: string, change: (block: FormBlock) => FormBlock, name?: string) =>
      editDocument(
        (document) => changeBlock(document, toSide(store.getState()), id, change),
        name && `${id}:${name}`,
      ),
    editSettings: (change: Partial<FormSettings>, name?: string) =>
      edit((draft) => ({ ...draft, settings: { ...draft.settings, ...change } }), name),
    editStyles: (change: Partial<Styles>, name?: string) =>
      editDocument(
        (document) => ({ ...document, styles: { ...document.styles, ...change } }),
        name,
      ),
    select: (selectedId: string | null) => store.setState({ selectedId }),
    announce: (announcement: string) => store.setState({ announcement }),
  };
}

/** Returns the part on the canvas: a step, or the success view while its tab is open. */
export const toSide = ({ tab, step }: Pick<BuilderState, 'tab' | 'step'>): FormSide =>
  tab === 'success' ? 'success' : step;

export type FormBuilder = ReturnType<typeof createBuilder>;

export const BuilderContext = createContext<FormBuilder | null>(null);

export function useBuilder(): FormBuilder {
  const builder = useContext(BuilderContext);
  if (builder === null) throw new Error('No form builder context');
  return builder;
}

export function useBuilderState<Part>(select: (state: BuilderState) => Part): Part {
  return useStore(useBuilder().store, select);
}

export const useHistory = () => useSteps(useBuilder().store);

export const useDraft = () => useBuilderState((state) => state.document);
