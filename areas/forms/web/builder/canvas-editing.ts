// Inline editing of a block on the canvas: its text becomes an editable field, reported on every
// input.

type InlineEdit = {
  words: string;
  /** Enter inserts a line break instead of finishing. */
  hasLines: boolean;
  name: string;
  type: (text: string) => void;
  /** Called when the focus moves to another element. */
  leave: () => void;
  /** Called when Escape or Enter ends the editing: the focus stays on the block. */
  finish: () => void;
  anyKey: (event: KeyboardEvent) => void;
};

export function writeIn(page: Document, block: HTMLElement, edit: InlineEdit): void {
  const part = partOf(page, block);
  becomeField(part, edit);
  block.draggable = false;
  part.addEventListener('input', () => edit.type(part.innerText.replace(/\n$/, '')));
  part.addEventListener('blur', edit.leave);
  part.addEventListener('keydown', (event) => {
    edit.anyKey(event);
    event.stopPropagation();
    if (event.key === 'Escape' || (event.key === 'Enter' && !edit.hasLines)) {
      event.preventDefault();
      edit.finish();
    }
  });
  part.focus();
  cursorAtEnd(page, part);
}

function becomeField(part: HTMLElement, { words: text, name }: InlineEdit): void {
  part.textContent = text;
  part.dataset.writing = '';
  part.contentEditable = 'plaintext-only';
  if (part.contentEditable !== 'plaintext-only') part.contentEditable = 'true';
  part.setAttribute('role', 'textbox');
  part.setAttribute('aria-label', name);
  part.classList.remove('quiet');
}

function cursorAtEnd(page: Document, part: HTMLElement): void {
  const range = page.createRange();
  range.selectNodeContents(part);
  range.collapse(false);
  const selection = page.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/**
 * The element with the block's text. The space bar would press a button, so a button is replaced
 * during editing.
 */
function partOf(page: Document, block: HTMLElement): HTMLElement {
  const inner = block.querySelector<HTMLElement>('.label, legend, .box > span');
  if (inner) return inner;
  if (block.localName !== 'button') return block;
  const standIn = page.createElement('div');
  standIn.className = block.className;
  standIn.dataset.block = block.dataset.block ?? '';
  block.replaceWith(standIn);
  return standIn;
}
