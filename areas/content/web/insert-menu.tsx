// The menu of '/' and of the plus: type to find a block, Enter puts it below what is selected.
import { TextInput } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useTexts } from '#platform/web/texts.ts';
import type { BlockType, NodeId } from '../document.ts';
import { focusNode, putBlock, useActions } from './actions.ts';
import { freshBlock, KIND_ICONS, KINDS } from './block-kinds.ts';
import classes from './insert-menu.module.css';
import { useEditor } from './store.ts';

export function InsertMenu({ after }: { after: NodeId | null }) {
  const t = useTexts('content');
  const editor = useEditor();
  const { nameOf, say } = useActions();
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const box = useRef<HTMLDivElement>(null);
  const found = KINDS.filter((kind) =>
    t(`kinds.${kind}`).toLocaleLowerCase().includes(words.trim().toLocaleLowerCase()),
  );
  const close = () => editor.store.setState({ inserting: null });
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const insert = (kind: BlockType) => {
    close();
    const block = freshBlock(kind, t);
    putBlock(editor, block, after);
    say(t('said.added', { name: nameOf(block.id) }));
    focusNode(block.id);
  };
  useEffect(() => {
    const leave = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) editor.store.setState({ inserting: null });
    };
    document.addEventListener('pointerdown', leave);
    return () => document.removeEventListener('pointerdown', leave);
  }, [editor]);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Escape') {
      close();
      focusNode(after);
      return;
    }
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) {
      event.preventDefault();
      setAt((now) => Math.min(found.length - 1, Math.max(0, now + by)));
    }
    const kind = found[at];
    if (event.key === 'Enter' && kind) {
      event.preventDefault();
      insert(kind);
    }
  };
  return (
    <div
      ref={box}
      className={classes.menu}
      data-tools=""
      onClick={(event) => event.stopPropagation()}
      onKeyDown={onKeyDown}
    >
      <TextInput
        autoFocus
        size="xs"
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={found[at] ? `${list}-${found[at]}` : undefined}
        aria-label={t('palette.find')}
        placeholder={t('palette.find')}
        value={words}
        onChange={(event) => {
          setWords(event.currentTarget.value);
          setAt(0);
        }}
      />
      <div id={list} role="listbox" aria-label={t('palette.blocks')} className={classes.list}>
        {found.map((kind, index) => {
          const Icon = KIND_ICONS[kind];
          return (
            <div
              key={kind}
              id={`${list}-${kind}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              className={classes.option}
              onPointerEnter={() => setAt(index)}
              onClick={() => insert(kind)}
            >
              <Icon size={18} stroke={1.75} />
              {t(`kinds.${kind}`)}
            </div>
          );
        })}
        {found.length === 0 && (
          <div role="option" aria-disabled="true" aria-selected="false" className={classes.option}>
            {t('platform:table.nothingFound')}
          </div>
        )}
      </div>
    </div>
  );
}
