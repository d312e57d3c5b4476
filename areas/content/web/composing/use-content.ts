// State of custom HTML or plain text during editing.
import { invalidate } from '#platform/web/api/queries.ts';
import { type Autosave, useAutosave } from '#platform/web/editing/use-autosave.ts';
import type { ComposedContent } from '../../composing-contract.ts';
import { api, resolveCall, type Composing } from './composing.ts';

export type EditorKind = 'html' | 'text';
export type ContentDraft = {
  html: string;
  plainText: string | null;
  /** For custom HTML: inlines style sheets when the email is built. */
  inlineCss: boolean;
};
export type ContentEditing = Omit<Autosave<ContentDraft>, 'change' | 'edit'> & {
  change: (change: Partial<ContentDraft>) => void;
};

const EMPTY_CONTENT: ContentDraft = { html: '', plainText: null, inlineCss: false };

/** Returns the draft for an editor, which loads only content of its own kind. */
const toDraft = (content: ComposedContent, kind: EditorKind): ContentDraft =>
  content.editor === kind
    ? {
        html: content.html ?? '',
        plainText: content.plain_text,
        inlineCss: content.inline_css,
      }
    : EMPTY_CONTENT;

/** @param mayReplace whether the author has confirmed that content of another editor is replaced */
export function useContent(
  composing: Composing,
  kind: EditorKind,
  mayReplace: boolean,
): ContentEditing {
  const { id, invalidatedPaths } = composing;
  const editing = useAutosave<ContentDraft>({
    name: `${composing.name}:${kind}`,
    load: async () => {
      const { data } = await api(resolveCall(composing, 'GET /{base}/{id}/content'), {
        params: { id },
      });
      // Another tab may have changed the editor; the reloaded item then makes EditorGuard request a
      // confirmation.
      if (data.editor !== kind) void invalidate(...invalidatedPaths);
      return { value: toDraft(data, kind), revision: data.revision, saved_at: data.saved_at };
    },
    save: async (draft, revision, isSettled) => {
      const { data } = await api(resolveCall(composing, 'PUT /{base}/{id}/content'), {
        params: { id },
        body: {
          revision,
          editor: kind,
          html: kind === 'html' ? draft.html : null,
          plain_text: draft.plainText,
          ...(kind === 'html' ? { inline_css: draft.inlineCss } : {}),
          confirm_switch: mayReplace || isSettled,
        },
      });
      void invalidate(...invalidatedPaths);
      return { revision: data.revision, saved_at: data.saved_at };
    },
  });
  const { update } = editing;
  return {
    ...editing,
    change: (part) => update((now) => ({ ...(now ?? EMPTY_CONTENT), ...part })),
  };
}
