// Parts that only some success views need: a button that copies the code, and the link to the test
// inbox.
import type { InboxLink } from '../shared/success.ts';

const COPIED_MS = 2_000;

/** Adds the copy button if the view shows a code, and the link to the inbox if there is one. */
export function addCopyButton(view: ParentNode, inbox?: InboxLink): void {
  if (inbox) addInboxLink(view, inbox);
  const output = view.querySelector<HTMLElement>('output[data-copy]');
  if (!output) return;
  const { copy = '', copied = '' } = output.dataset;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'sender-form-copy';
  button.textContent = copy;
  button.addEventListener('click', () => {
    void copyText(output).then(() => {
      button.textContent = copied;
      setTimeout(() => (button.textContent = copy), COPIED_MS);
    });
  });
  output.after(button);
}

function addInboxLink(view: ParentNode, { href, label }: InboxLink): void {
  const container = document.createElement('p');
  container.className = 'sender-form-text';
  const link = document.createElement('a');
  Object.assign(link, { href, target: '_blank', textContent: label });
  container.append(link);
  view.append(container);
}

/**
 * Pages without https have no clipboard access, so the code is selected and can be copied with the
 * keyboard.
 */
async function copyText(output: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(output.textContent ?? '');
  } catch {
    getSelection()?.selectAllChildren(output);
    document.execCommand('copy');
  }
}
