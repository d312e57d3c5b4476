// The guided tour through the tabs and to the Save button. Each browser shows it to a user once,
// and again on request.
import { Button, Group, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import classes from './builder.module.css';
import { TABS, useBuilder } from './store.ts';

const STOPS = [...TABS, 'save'] as const;

export function useTour() {
  const { user } = useSession();
  const key = `sendloom.forms-tour.${user.id}`;
  const [isOpen, setOpen] = useState(() => localStorage.getItem(key) === null);
  return {
    isOpen,
    begin: () => setOpen(true),
    end: () => {
      localStorage.setItem(key, 'seen');
      setOpen(false);
    },
  };
}

/** A card at the bottom, so that it does not cover the element it describes. */
export function Tour({ end, isSmall }: { end: () => void; isSmall: boolean }) {
  const t = useTexts('forms-builder');
  const { number } = useFormats();
  const { store } = useBuilder();
  const [at, setAt] = useState(0);
  const next = useRef<HTMLButtonElement>(null);
  const stop = STOPS[at] ?? 'save';
  useEffect(() => {
    if (stop !== 'save') store.setState({ tab: stop, selectedId: null });
    next.current?.focus();
    const target = document.querySelector(`[data-tour="${stop}"]`);
    target?.setAttribute('data-toured', '');
    return () => target?.removeAttribute('data-toured');
  }, [stop, store]);
  const finish = () => {
    store.setState({ tab: 'content' });
    end();
  };
  return (
    <section
      role="dialog"
      aria-label={t('tour.title')}
      className={classes.tour}
      data-small={isSmall || undefined}
      onKeyDown={(event) => {
        if (event.key === 'Escape') finish();
      }}
    >
      <Text size="xs" c="dimmed">
        {t('tour.at', { at: number(at + 1), all: number(STOPS.length) })}
      </Text>
      <Text fw={600} mt={4}>
        {stop === 'save' ? t('save.act') : t(`tabs.${stop}`)}
      </Text>
      <Text size="sm" mt={4}>
        {t(`tour.stops.${stop}`)}
      </Text>
      <Group justify="space-between" mt="md">
        <Button size="xs" variant="subtle" color="gray" onClick={finish}>
          {t('tour.skip')}
        </Button>
        <Group gap="xs">
          {at > 0 && (
            <Button size="xs" variant="default" onClick={() => setAt(at - 1)}>
              {t('tour.back')}
            </Button>
          )}
          <Button
            ref={next}
            size="xs"
            onClick={() => (at < STOPS.length - 1 ? setAt(at + 1) : finish())}
          >
            {t(at < STOPS.length - 1 ? 'tour.next' : 'tour.done')}
          </Button>
        </Group>
      </Group>
    </section>
  );
}
