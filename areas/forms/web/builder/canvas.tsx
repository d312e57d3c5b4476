// The frame that shows the draft, and the actions that the user can trigger in it.
import { useEffect, useMemo, useRef, useState } from 'react';
import { compileForm } from '#embed/forms/shared/compile.ts';
import { stepKeys } from '#platform/web/editing/step-keys.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { listWebFonts } from '../../web-fonts.ts';
import { useBlockActions } from './actions.ts';
import classes from './builder.module.css';
import { listBlocks, hasLines, readPlainText, setPlainText } from './draft.ts';
import { FormCanvas, type CanvasActions } from './canvas.ts';
import type { CanvasContent } from './canvas-drawing.ts';
import { useSamplePrize } from './sample-prize.ts';
import { toSide, useBuilder, useBuilderState, useDraft } from './store.ts';

export function Canvas() {
  const t = useTexts('forms-builder');
  const frame = useRef<HTMLIFrameElement>(null);
  const [canvas, setCanvas] = useState<FormCanvas>();
  const actions = useCanvasActions(() => canvas);
  const latest = useRef(actions);
  latest.current = actions;
  const content = useCanvasContent();
  const view = useBuilderState((state) => state.view);
  useEffect(() => {
    if (canvas) canvas.draw(content);
  }, [canvas, content]);
  const load = () => {
    const page = frame.current?.contentDocument;
    if (page) setCanvas(new FormCanvas(page, forwardActions(latest)));
  };
  return (
    <div className={classes.stage} data-view={view}>
      <iframe
        ref={frame}
        title={t('canvas')}
        // Without allow-scripts, some browsers deliver no events from the frame to the builder.
        sandbox="allow-same-origin allow-scripts"
        srcDoc="<!doctype html><html lang=en><head><title>Form</title></head><body></body></html>"
        onLoad={load}
      />
    </div>
  );
}

/** The canvas gets its actions once; these forward to the actions of the latest render. */
function forwardActions(latest: { current: CanvasActions }): CanvasActions {
  return {
    select: (id) => latest.current.select(id),
    readText: (id) => latest.current.readText(id),
    setText: (id, content) => latest.current.setText(id, content),
    dropBlock: (dragged, before) => latest.current.dropBlock(dragged, before),
    onBlockKeyDown: (event, id) => latest.current.onBlockKeyDown(event, id),
    onKeyDown: (event) => latest.current.onKeyDown(event),
  };
}

function useCanvasContent(): CanvasContent {
  const t = useTexts('forms-builder');
  const { type } = useBuilder();
  const { document, groups, settings } = useDraft();
  const prize = useSamplePrize();
  const selectedId = useBuilderState((state) => state.selectedId);
  const side = useBuilderState(toSide);
  const { wheel_config: wheel } = settings;
  const canvasContent = useMemo<Omit<CanvasContent, 'selectedId'>>(
    () => ({
      type,
      layout: document.layout,
      direction: document.language === 'fas' ? 'rtl' : 'ltr',
      language: document.language,
      compiledForm: compileForm(document, {
        type,
        interests: groups.filter((group) => !group.isMandatory),
      }),
      side,
      fonts: listWebFonts(document),
      wheel: type === 'spinToWin' ? (wheel?.setup ?? []) : null,
      prize,
      blockNames: new Map(
        listBlocks(document, side).map((block) => [block.id, t(`kinds.${block.kind}`)]),
      ),
      emptyText: t('empty'),
    }),
    [type, document, groups, wheel, prize, side, t],
  );
  return useMemo(() => ({ ...canvasContent, selectedId }), [canvasContent, selectedId]);
}

function useCanvasActions(canvas: () => FormCanvas | undefined): CanvasActions {
  const builder = useBuilder();
  const actions = useBlockActions();
  const now = () => builder.store.getState();
  const findBlock = (id: string) =>
    listBlocks(now().document.document, toSide(now())).find((block) => block.id === id);
  return {
    select: builder.select,
    readText: (id) => {
      const block = findBlock(id);
      const content = block && readPlainText(block);
      return content === undefined
        ? undefined
        : { text: content, hasLines: hasLines(block?.kind ?? 'text') };
    },
    setText: (id, content) =>
      builder.editBlock(id, (block) => setPlainText(block, content), 'words'),
    dropBlock: actions.drop,
    onKeyDown: (event) => {
      const isStep = (event.ctrlKey || event.metaKey) && !event.altKey;
      if (isStep && /^[zy]$/i.test(event.key)) canvas()?.stopEditing();
      stepKeys(builder, event);
    },
    onBlockKeyDown: (event, id) => {
      const keyAction = toCanvasKey(event, id);
      if (!keyAction) return;
      event.preventDefault();
      keyAction();
    },
  };

  function toCanvasKey(event: KeyboardEvent, id: string): (() => void) | undefined {
    const offset = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (offset !== 0) {
      if (event.altKey) return () => actions.step(id, offset);
      const blocks = listBlocks(now().document.document, toSide(now()));
      const next = blocks[blocks.findIndex((block) => block.id === id) + offset];
      return () => next && canvas()?.focus(next.id);
    }
    if (event.key === 'Enter') return () => canvas()?.startEditing(id);
    if (event.key === 'Delete' || event.key === 'Backspace') return () => actions.remove(id);
    if (event.key === 'Escape') return () => builder.select(null);
    return undefined;
  }
}
