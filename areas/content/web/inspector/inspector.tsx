// The inspector: settings of the selection, or of the email.
import { memo, useDeferredValue, useEffect, useRef } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useEditor, useEditorState } from '../store.ts';
import { type NodeLocation, findNode } from '../tree.ts';
import { BlockForm } from './block-form.tsx';
import classes from './inspector.module.css';
import { EmailSettingsForm } from './email-form.tsx';
import { SectionForm } from './section-form.tsx';

export default function Inspector() {
  const t = useTexts('content');
  const { number } = useFormats();
  const document = useEditorState((state) => state.document);
  // Deferred, so that arrow keys do not wait for the form.
  const selectedId = useDeferredValue(useEditorState((state) => state.selected));
  const top = useRef<HTMLDivElement>(null);
  const location = findNode(document, selectedId);
  // A new selection scrolls its form to the top.
  useEffect(() => {
    if (selectedId !== undefined) top.current?.parentElement?.scrollTo({ top: 0 });
  }, [selectedId]);
  const title =
    location === undefined
      ? t('mail.title')
      : location.kind === 'section'
        ? t('canvas.section', { at: number(location.sectionIndex + 1) })
        : t(`kinds.${location.block.type}`);
  return (
    <div ref={top} id="mail-inspector" className={classes.inspector}>
      <div className={classes.head}>
        <SelectionPath location={location} />
        <h2 className={classes.title}>{title}</h2>
      </div>
      {location === undefined && <EmailSettingsForm />}
      {location?.kind === 'section' && (
        <SectionForm key={location.section.id} section={location.section} />
      )}
      {location?.kind === 'block' && (
        <MemoizedBlockForm key={location.block.id} location={location} />
      )}
    </div>
  );
}

/** Breadcrumbs from the email to the selection. */
function SelectionPath({ location }: { location: NodeLocation | undefined }) {
  const t = useTexts('content');
  const { number } = useFormats();
  const { select } = useEditor();
  if (location === undefined) return null;
  return (
    <nav className={classes.way} aria-label={t('mail.way')}>
      <button type="button" onClick={() => select(null)}>
        {t('mail.title')}
      </button>
      {location.kind === 'block' && (
        <button type="button" onClick={() => select(location.section.id)}>
          {t('canvas.section', { at: number(location.sectionIndex + 1) })}
        </button>
      )}
    </nav>
  );
}

/** Editing text in the canvas does not render this form again. */
const MemoizedBlockForm = memo(BlockForm, ({ location: before }, { location: after }) => {
  const isSame = <Value extends object>(a: Value, b: Value, ...ignored: string[]) =>
    Object.entries(a).every(
      ([key, value]) => ignored.includes(key) || b[key as keyof Value] === value,
    ) && Object.keys(a).length === Object.keys(b).length;
  return (
    isSame(before.block, after.block, 'html') &&
    before.block.type !== 'html' &&
    isSame(before.column, after.column, 'blocks') &&
    isSame(before.section, after.section, 'columns') &&
    before.blockIndex === after.blockIndex &&
    before.column.blocks.length === after.column.blocks.length &&
    before.section.columns.length === after.section.columns.length
  );
});
