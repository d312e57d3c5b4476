// What introduces a person, judged as the specification says (section 5) and as the server judges it.
import { NAME_LEAST, NAME_MOST } from '#areas/accounts/limits.ts';
import { websiteIssue } from '#areas/accounts/validation.ts';

export interface Introduction extends Record<string, unknown> {
  name: string;
  surname: string;
  website: string;
}

export type NameIssue = 'required' | 'short' | 'long';

export function nameIssue(written: string): NameIssue | undefined {
  const name = written.trim();
  if (name === '') return 'required';
  if (name.length < NAME_LEAST) return 'short';
  return name.length > NAME_MOST ? 'long' : undefined;
}

export { websiteIssue };
