// Drag and drop on the canvas: shows the drop position and reports the drop.
import type { CanvasActions } from './canvas.ts';

/** The media type of a dragged block. */
export const DRAGGED = 'application/x-sendloom-block';

/** Blocks are dragged from the palette, which is outside the frame, or from within the form. */
export function watchDrops(
  page: Document,
  root: ShadowRoot,
  { dropBlock }: Pick<CanvasActions, 'dropBlock'>,
): void {
  let markedBlock: HTMLElement | undefined;
  const clear = () => {
    markedBlock?.classList.remove('drop-before', 'drop-after');
    markedBlock = undefined;
  };
  const findTarget = (event: DragEvent): { block: HTMLElement; isAfter: boolean } | undefined => {
    const blocks = [...root.querySelectorAll<HTMLElement>('[data-block]')];
    const measureDistance = (block: HTMLElement) => {
      const { top, bottom, left, right } = block.getBoundingClientRect();
      return (
        Math.max(0, top - event.clientY, event.clientY - bottom) +
        Math.max(0, left - event.clientX, event.clientX - right)
      );
    };
    const [nearest] = blocks.toSorted((a, b) => measureDistance(a) - measureDistance(b));
    if (!nearest) return undefined;
    const { top, height } = nearest.getBoundingClientRect();
    return { block: nearest, isAfter: event.clientY > top + height / 2 };
  };
  page.addEventListener('dragstart', (event) => {
    const [target] = event.composedPath();
    const id = (target as HTMLElement).dataset?.block;
    if (!id) return event.preventDefault();
    event.dataTransfer?.setData(DRAGGED, `move:${id}`);
  });
  page.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes(DRAGGED)) return;
    event.preventDefault();
    clear();
    const target = findTarget(event);
    if (!target) return;
    markedBlock = target.block;
    markedBlock.classList.add(target.isAfter ? 'drop-after' : 'drop-before');
  });
  page.addEventListener('dragleave', clear);
  page.addEventListener('dragend', clear);
  page.addEventListener('drop', (event) => {
    const payload = event.dataTransfer?.getData(DRAGGED);
    const target = findTarget(event);
    clear();
    if (!payload) return;
    event.preventDefault();
    const blocks = [...root.querySelectorAll<HTMLElement>('[data-block]')];
    const next =
      target && (target.isAfter ? blocks[blocks.indexOf(target.block) + 1] : target.block);
    dropBlock(payload, next?.dataset.block ?? null);
  });
}
