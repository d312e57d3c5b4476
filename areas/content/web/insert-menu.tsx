// Insert menu of '/' and plus: typing filters blocks, Enter inserts below the selection.
import { TextInput } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { BlockType, NodeId } from '../document.ts';
import { focusNode, putBlock, useActions } from './actions.ts';
import { createFreshBlock, KIND_ICONS, KINDS } from './block-kinds.ts';
import classes from './insert-menu.module.css';
import { useEditor } from './store.ts';

export function InsertMenu({ after }: { after: NodeId | null }) {
  const t = useTexts('content');
  const menu = useInsertMenu(after);
  const list = useId();
  const { found, at } = menu;
  return (
    <div
      ref={menu.box}
      className={classes.menu}
      data-tools=""
      onClick={(event) => event.stopPropagation()}
      onKeyDown={menu.onKeyDown}
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
        value={menu.words}
        onChange={(event) => menu.find(event.currentTarget.value)}
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
              onPointerEnter={() => menu.point(index)}
              onClick={() => menu.insert(kind)}
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

/** Manages search text, results and keys of the menu. */
function useInsertMenu(afterId: NodeId | null) {
  const t = useTexts('content');
  const editor = useEditor();
  const { nameOf, announce } = useActions();
  const [term, setTerm] = useState('');
  const [at, setAt] = useState(0);
  const matches = KINDS.filter((kind) =>
    t(`kinds.${kind}`).toLocaleLowerCase().includes(term.trim().toLocaleLowerCase()),
  );
  const close = () => editor.store.setState({ insertAfterId: null });
  const insert = (kind: BlockType) => {
    close();
    const block = createFreshBlock(kind, t);
    putBlock(editor, block, afterId);
    announce(t('said.added', { name: nameOf(block.id) }));
    focusNode(block.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Escape') {
      close();
      focusNode(afterId);
      return;
    }
    const offset = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (offset !== 0) {
      event.preventDefault();
      setAt((now) => Math.min(matches.length - 1, Math.max(0, now + offset)));
    }
    const selectedKind = matches[at];
    if (event.key === 'Enter' && selectedKind) {
      event.preventDefault();
      insert(selectedKind);
    }
  };
  const find = (input: string) => {
    setTerm(input);
    setAt(0);
  };
  return {
    box: useMenuBox(close),
    words: term,
    find,
    found: matches,
    at,
    point: setAt,
    insert,
    onKeyDown,
  };
}

/** Scrolls the box into view and closes it on a press outside. */
function useMenuBox(leave: () => void) {
  const box = useRef<HTMLDivElement>(null);
  const leaveRef = useRef(leave);
  leaveRef.current = leave;
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' });
    const onPress = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) leaveRef.current();
    };
    document.addEventListener('pointerdown', onPress);
    return () => document.removeEventListener('pointerdown', onPress);
  }, []);
  return box;
}
