// API calls of content in the editor.
import { client } from '#platform/web/api/api.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();

/** Response of the renderer: the email and its findings. */
export type DraftRendering = {
  subject: string;
  preheader: string;
  html: string | null;
  text: string | null;
  size: number;
  findings: readonly { severity: 'error' | 'warning' | 'tip'; node?: string | undefined }[];
};
