// What content's screens are told of an email: where its calls are, and what stands around its editors. Whose
// email it is, they do not know.
import { client } from '#platform/web/api.ts';
import type { ComposingFinding, composingCalls } from '../../composing-contract.ts';

export type Finding = ComposingFinding;

/** Where the calls of one email are. */
export interface EmailPlace {
  /** Of its owner's calls: `/client-api/api/campaigns`. */
  base: string;
  id: string;
}

export interface Composing extends EmailPlace {
  /** For what is kept in the browser until it is saved: `campaign:abc`. */
  name: string;
  /** At the top. */
  title: string;
  back: { to: string; label: string };
  /** Where it goes on, once all is saved. */
  next: { label: string; act: () => void };
  /** Leads to the other editors, where there are any. */
  changeEditor?: (() => void) | undefined;
  /** Addresses whose answers a save changes. */
  touches: readonly string[];
  /** Who sends, where the account has no name. */
  company: string;
  /** One of ours, else the account's. */
  language: string | null;
  /** Where the subject and the sender are. */
  settings: string;
}

type Calls = ReturnType<typeof composingCalls<'/{base}'>>;

export const api = client<Calls>();

/** The name of a call at this email's addresses; its type stays what the contract says. */
export function at<Name extends string>({ base }: EmailPlace, name: Name): Name {
  return name.replace('/{base}', base) as Name;
}
