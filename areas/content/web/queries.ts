// The calls of content as the editor uses them.
import { client } from '#platform/web/api.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();

/** What the renderer answers: the mail, and what is wrong with it. */
export type Rendering = {
  subject: string;
  preheader: string;
  html: string | null;
  text: string | null;
  size: number;
  findings: readonly { severity: 'error' | 'warning' | 'tip'; node?: string | undefined }[];
};
