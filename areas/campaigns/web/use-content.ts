// The source of a custom HTML or plain text campaign while it is being written.
import { touch } from '#platform/web/queries.ts';
import { type Autosave, useAutosave } from '#platform/web/editing/use-autosave.ts';
import type { ComposedContent as Content } from '../../content/composing-contract.ts';
import { api, touchesOf } from './queries.ts';

export type EditorKind = 'html' | 'text';
export type Draft = {
  html: string;
  plainText: string | null;
  /** Custom HTML: its style sheets are written into its elements when the mail is made. */
  inlineCss: boolean;
};
export type ContentEditing = Omit<Autosave<Draft>, 'change' | 'edit'> & {
  change: (change: Partial<Draft>) => void;
};

const EMPTY: Draft = { html: '', plainText: null, inlineCss: false };

/** Each editor begins with what it made itself; what another one made is nothing to it. */
const draftOf = (content: Content, kind: EditorKind): Draft =>
  content.editor === kind
    ? {
        html: content.html ?? '',
        plainText: content.plain_text,
        inlineCss: content.inline_css,
      }
    : EMPTY;

/** @param mayReplace the author knows that another editor's content is left behind */
export function useContent(id: string, kind: EditorKind, mayReplace: boolean): ContentEditing {
  const editing = useAutosave<Draft>({
    name: `campaign:${id}:${kind}`,
    load: async () => {
      const { data } = await api('GET /client-api/api/campaigns/{id}/content', { params: { id } });
      // Another tab may have changed the editor: the campaign says so, and the author is asked.
      if (data.editor !== kind) void touch(...touchesOf(id));
      return { value: draftOf(data, kind), revision: data.revision, saved_at: data.saved_at };
    },
    save: async (draft, revision, isSettled) => {
      const { data } = await api('PUT /client-api/api/campaigns/{id}/content', {
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
      void touch(...touchesOf(id));
      return { revision: data.revision, saved_at: data.saved_at };
    },
  });
  const { edit } = editing;
  return { ...editing, change: (part) => edit((now) => ({ ...(now ?? EMPTY), ...part })) };
}
