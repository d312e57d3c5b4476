// A button beside the code on the success view that copies it.
const COPIED_MS = 2_000;

/** Adds the button where the view shows a code. */
export function addCopyButton(view: ParentNode): void {
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

/** Pages without https have no clipboard: the code is selected, so that keys can copy it. */
async function copyText(output: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(output.textContent ?? '');
  } catch {
    getSelection()?.selectAllChildren(output);
    document.execCommand('copy');
  }
}
