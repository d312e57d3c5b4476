// Inline editing of a block on the canvas: its text becomes an editable field, which reports the
// new text on every input.

type InlineEdit = {
  text: string;
  /** Enter inserts a line break instead of finishing. */
  hasLines: boolean;
  name: string;
  onInput: (text: string) => void;
  /** Called when the focus moves to another element. */
  onBlur: () => void;
  /** Called when Escape or Enter ends the editing: the focus stays on the block. */
  onFinish: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
};

export function editInline(page: Document, block: HTMLElement, edit: InlineEdit): void {
  const editable = findEditablePart(page, block);
  becomeField(editable, edit);
  block.draggable = false;
  editable.addEventListener('input', () => edit.onInput(editable.innerText.replace(/\n$/, '')));
  editable.addEventListener('blur', edit.onBlur);
  editable.addEventListener('keydown', (event) => {
    edit.onKeyDown(event);
    event.stopPropagation();
    if (event.key === 'Escape' || (event.key === 'Enter' && !edit.hasLines)) {
      event.preventDefault();
      edit.onFinish();
    }
  });
  editable.focus();
  moveCursorToEnd(page, editable);
}

function becomeField(editable: HTMLElement, { text, name }: InlineEdit): void {
  editable.textContent = text;
  editable.dataset.writing = '';
  editable.contentEditable = 'plaintext-only';
  if (editable.contentEditable !== 'plaintext-only') editable.contentEditable = 'true';
  editable.setAttribute('role', 'textbox');
  editable.setAttribute('aria-label', name);
  editable.classList.remove('quiet');
}

function moveCursorToEnd(page: Document, editable: HTMLElement): void {
  const range = page.createRange();
  range.selectNodeContents(editable);
  range.collapse(false);
  const selection = page.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/**
 * Finds the element with the block's text. The space bar would press a button, so a button is
 * replaced during editing.
 */
function findEditablePart(page: Document, block: HTMLElement): HTMLElement {
  const label = block.querySelector<HTMLElement>('.label, legend, .box > span');
  if (label) return label;
  if (block.localName !== 'button') return block;
  const standIn = page.createElement('div');
  standIn.className = block.className;
  standIn.dataset.block = block.dataset.block ?? '';
  block.replaceWith(standIn);
  return standIn;
}
