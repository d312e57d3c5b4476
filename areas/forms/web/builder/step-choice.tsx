// Chooses what the canvas shows: a step or the success view, on a desktop or a phone.
import { Group, SegmentedControl } from '@mantine/core';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import classes from './builder.module.css';
import { useBuilder, useBuilderState, useDraft } from './store.ts';

export function StepChoice() {
  const t = useTexts('forms-builder');
  const { number } = useFormats();
  const { store } = useBuilder();
  const { steps } = useDraft().document;
  const step = useBuilderState((state) => state.step);
  const tab = useBuilderState((state) => state.tab);
  const view = useBuilderState((state) => state.view);
  const sides = [
    ...steps.map((_, i) => ({
      value: String(i),
      label: steps.length > 1 ? t('side.step', { at: number(i + 1) }) : t('side.form'),
    })),
    { value: 'success', label: t('side.success') },
  ];
  const show = (value: string) => {
    if (value === 'success') return store.setState({ tab: 'success', selectedId: null });
    store.setState({
      step: Number(value),
      selectedId: null,
      ...(tab === 'success' ? { tab: 'content' as const } : {}),
    });
  };
  return (
    <Group className={classes.sides} gap="xs" justify="space-between">
      <SegmentedControl
        size="xs"
        aria-label={t('side.title')}
        value={tab === 'success' ? 'success' : String(step)}
        onChange={show}
        data={sides}
      />
      <SegmentedControl
        size="xs"
        aria-label={t('view.title')}
        value={view}
        onChange={(value) => store.setState({ view: value === 'phone' ? 'phone' : 'desktop' })}
        data={[
          {
            value: 'desktop',
            label: <ViewSign icon={IconDeviceDesktop} label={t('view.desktop')} />,
          },
          { value: 'phone', label: <ViewSign icon={IconDeviceMobile} label={t('view.phone')} /> },
        ]}
      />
    </Group>
  );
}

function ViewSign({ icon: Icon, label }: { icon: typeof IconDeviceMobile; label: string }) {
  return (
    <span className={classes.sign}>
      <Icon size={16} stroke={1.75} aria-hidden="true" />
      <span className={classes.signWords}>{label}</span>
    </span>
  );
}
