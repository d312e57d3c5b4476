// Copies to the clipboard and reports success or failure.
import { failure, toast } from './errors/notices.tsx';
import { text } from './texts/texts.ts';

export async function copyText(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value);
    toast(text('platform:clipboard.copied'));
    return true;
  } catch {
    failure(text('platform:clipboard.failed'));
    return false;
  }
}
