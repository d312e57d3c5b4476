// What content's screens need to know about an email: the path of its calls and the context of its
// editors. The screens do not depend on the item that the email belongs to.
import { isLanguage, type Language } from '#platform/languages.ts';
import { client } from '#platform/web/api/api.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import type { EmailDocument } from '../../document.ts';
import type { ComposingFinding, composingCalls } from '../../composing-contract.ts';

export type EditorFinding = ComposingFinding;

/** Path of one email's calls. */
export interface EmailRef {
  /** Base path of the items of its kind: `/client-api/api/campaigns`. */
  basePath: string;
  id: string;
}

export interface Composing extends EmailRef {
  /** Key of unsaved changes in the browser: `campaign:abc`. */
  name: string;
  /** Title of the top bar. */
  title: string;
  back: { to: string; label: string };
  /** Next step after saving. */
  next: { label: string; onClick: () => void };
  /** Opens the choice of editors, if there is one. */
  changeEditor?: (() => void) | undefined;
  /** Paths of queries that a save invalidates. */
  invalidatedPaths: readonly string[];
  /** Sender name, used if the account has no name. */
  company: string;
  /** The language of the email; if it is null or unsupported, the account's applies. */
  language: string | null;
  /** Path of the screen with subject and sender. */
  settingsPath: string;
  /** The item that comments on this email's blocks belong to. */
  comments?: EmailRef;
  /** Duplicates the item, for its translation into this language. */
  duplicate?: (language: Language) => Promise<Duplicate>;
}

interface Duplicate {
  email: EmailRef;
  /** Opens its editor. */
  open: () => void;
}

/** Returns the language of suggestions for the email. */
export const resolveEmailLanguage = (
  { language }: Composing,
  account: { language: Language },
): Language => (isLanguage(language) ? language : account.language);

type ComposingCalls = ReturnType<typeof composingCalls<'/{base}'>>;

export const api = client<ComposingCalls>();

/** Returns the name of a call under this email's path, typed as in the contract. */
export function resolveCall<Name extends string>({ basePath }: EmailRef, name: Name): Name {
  return name.replace('/{base}', basePath) as Name;
}

type NewContent = { editor: 'editor'; document: EmailDocument } | { editor: 'html'; html: string };

/**
 * Returns a function that saves a value in a duplicate of the email and opens the duplicate;
 * undefined if the email cannot be duplicated.
 */
export const duplicateSaver = <Value>(
  composing: Composing,
  flush: () => Promise<unknown>,
  toContent: (value: Value) => NewContent,
) =>
  composing.duplicate &&
  (async (value: Value, language: Language): Promise<void> => {
    await flush();
    const copy = await composing.duplicate?.(language);
    if (copy) await saveInDuplicate(composing, copy, toContent(value));
  });

async function saveInDuplicate(
  { invalidatedPaths }: Composing,
  { email, open }: Duplicate,
  content: NewContent,
): Promise<void> {
  const params = { id: email.id };
  const { data } = await api(resolveCall(email, 'GET /{base}/{id}/content'), { params });
  const { revision, inline_css, plain_text } = data;
  const htmlOptions = content.editor === 'html' ? { inline_css, plain_text } : {};
  const body = { revision, ...htmlOptions, ...content };
  await api(resolveCall(email, 'PUT /{base}/{id}/content'), { params, body });
  void invalidate(...invalidatedPaths);
  open();
}

/** Saves a document as the content of an email that has no content yet. */
export const saveDocument = (email: EmailRef, revision: number, document: EmailDocument) =>
  api(resolveCall(email, 'PUT /{base}/{id}/content'), {
    params: { id: email.id },
    body: { revision, editor: 'editor', document },
  });
