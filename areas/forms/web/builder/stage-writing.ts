// Inline editing of a block on the canvas: its text becomes an editable field, reported on every
// input.

type Wish = {
  words: string;
  /** Enter inserts a line break instead of finishing. */
  hasLines: boolean;
  name: string;
  type: (words: string) => void;
  /** The focus moved to another element. */
  leave: () => void;
  /** Finished by a key: the focus stays at the block. */
  finish: () => void;
  anyKey: (event: KeyboardEvent) => void;
};

export function writeIn(page: Document, block: HTMLElement, wish: Wish): void {
  const part = partOf(page, block);
  becomeField(part, wish);
  block.draggable = false;
  part.addEventListener('input', () => wish.type(part.innerText.replace(/\n$/, '')));
  part.addEventListener('blur', wish.leave);
  part.addEventListener('keydown', (event) => {
    wish.anyKey(event);
    event.stopPropagation();
    if (event.key === 'Escape' || (event.key === 'Enter' && !wish.hasLines)) {
      event.preventDefault();
      wish.finish();
    }
  });
  part.focus();
  cursorAtEnd(page, part);
}

function becomeField(part: HTMLElement, { words, name }: Wish): void {
  part.textContent = words;
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
  const stand = page.createElement('div');
  stand.className = block.className;
  stand.dataset.block = block.dataset.block ?? '';
  block.replaceWith(stand);
  return stand;
}
