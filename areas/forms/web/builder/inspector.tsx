// The five tabs of the builder and their content.
import { Tabs } from '@mantine/core';
import { Suspense, useEffect, useRef } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import { BlockForm } from './block-form.tsx';
import classes from './builder.module.css';
import { ContentTab } from './content-tab.tsx';
import { listBlocks } from './draft.ts';
import { toSide, TABS, useBuilder, useBuilderState } from './store.ts';
import { SuccessTab } from './success-tab.tsx';

const DesignTab = lazyWithRetry(() => import('./design-tab.tsx'));
const SettingsTab = lazyWithRetry(() => import('./settings-tab.tsx'));
const BehaviorTab = lazyWithRetry(() => import('./behavior-tab.tsx'));

export function TabList({ onChosen }: { onChosen?: () => void }) {
  const t = useTexts('forms-builder');
  const { store } = useBuilder();
  const tab = useBuilderState((state) => state.tab);
  return (
    <Tabs
      value={tab}
      className={classes.tabs}
      onChange={(value) => {
        const nextTab = TABS.find((tab) => tab === value);
        if (nextTab) store.setState({ tab: nextTab, selectedId: null });
      }}
    >
      <Tabs.List grow aria-label={t('inspector')}>
        {TABS.map((tab) => (
          <Tabs.Tab
            key={tab}
            value={tab}
            data-tour={tab}
            aria-controls={undefined}
            onClick={() => onChosen?.()}
          >
            {t(`tabs.${tab}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  );
}

export function Inspector() {
  const t = useTexts('forms-builder');
  const tab = useBuilderState((state) => state.tab);
  const selectedId = useBuilderState((state) => state.selectedId);
  const blocks = useBuilderState((state) => listBlocks(state.document.document, toSide(state)));
  const block = blocks.find(({ id }) => id === selectedId);
  const panel = useRef<HTMLElement>(null);
  const blockId = block?.id;
  // For keyboard users: if the focused element disappeared with its panel, the new panel is
  // focused.
  useEffect(() => {
    if (document.activeElement === document.body) panel.current?.focus({ preventScroll: true });
  }, [blockId]);
  return (
    <section ref={panel} tabIndex={-1} className={classes.panel} aria-label={t('inspector')}>
      <Suspense fallback={<LoadingState rows={6} />}>
        {block && (tab === 'content' || tab === 'success') ? (
          <BlockForm key={block.id} block={block} />
        ) : (
          <>
            <h2 className={classes.hidden}>{t(`tabs.${tab}`)}</h2>
            <Panel />
          </>
        )}
      </Suspense>
    </section>
  );
}

function Panel() {
  switch (useBuilderState((state) => state.tab)) {
    case 'content':
      return <ContentTab />;
    case 'design':
      return <DesignTab />;
    case 'settings':
      return <SettingsTab />;
    case 'behaviour':
      return <BehaviorTab />;
    case 'success':
      return <SuccessTab />;
  }
}
